"""What the operating system says went wrong, in both languages."""

from __future__ import annotations

import errno

from ludus.lang import Text

NAME_NOT_KNOWN, NAME_LOOKUP_FAILED, NAME_WITHOUT_ADDRESS = -2, -3, -5
"""Numbers of ``socket.gaierror`` (``EAI_NONAME``, ``EAI_AGAIN``, ``EAI_NODATA``)."""
CHINESE_REASONS = {
    errno.EPERM: "操作不被允许",
    errno.ENOENT: "没有这个文件或文件夹",
    errno.EINTR: "操作被中断",
    errno.EIO: "读写出错",
    errno.ENOEXEC: "可执行文件的格式不对",
    errno.EAGAIN: "资源暂时不可用",
    errno.ENOMEM: "内存不足",
    errno.EACCES: "没有权限",
    errno.EBUSY: "设备或资源正忙",
    errno.EEXIST: "文件已经存在",
    errno.EXDEV: "不在同一个文件系统上",
    errno.ENODEV: "没有这个设备",
    errno.ENOTDIR: "不是文件夹",
    errno.EISDIR: "是文件夹，不是文件",
    errno.EINVAL: "参数无效",
    errno.ENFILE: "系统中打开的文件过多",
    errno.EMFILE: "打开的文件过多",
    errno.ETXTBSY: "程序文件正在使用",
    errno.EFBIG: "文件过大",
    errno.ENOSPC: "磁盘空间不足",
    errno.ESPIPE: "不能在管道中定位",
    errno.EROFS: "文件系统是只读的",
    errno.EPIPE: "管道的另一端已关闭",
    errno.ENAMETOOLONG: "文件名过长",
    errno.ENOSYS: "系统不支持该功能",
    errno.ENOTEMPTY: "文件夹不是空的",
    errno.ELOOP: "符号链接层数过多",
    errno.EOPNOTSUPP: "不支持该操作",
    errno.EDQUOT: "超出磁盘配额",
    errno.ESTALE: "网络文件系统上的文件已失效",
    errno.EADDRINUSE: "地址已被占用",
    errno.EADDRNOTAVAIL: "本机没有这个地址",
    errno.EAFNOSUPPORT: "不支持这种地址",
    errno.ENETDOWN: "网络已断开",
    errno.ENETUNREACH: "网络不可达",
    errno.EHOSTUNREACH: "主机不可达",
    errno.ECONNREFUSED: "连接被拒绝",
    errno.ECONNRESET: "连接被对方断开",
    errno.ECONNABORTED: "连接中止",
    errno.ENOTCONN: "没有连接",
    errno.ETIMEDOUT: "超时",
    NAME_NOT_KNOWN: "未知的主机名",
    NAME_LOOKUP_FAILED: "暂时无法解析主机名",
    NAME_WITHOUT_ADDRESS: "主机名没有对应的地址",
}


def describe_os_error(error: Exception) -> Text:
    """The reason of an error without number and file name: "No such file or directory". What has
    no usual Chinese words, such as a library's error, is told as it is in both languages.

    >>> describe_os_error(FileNotFoundError(2, "No such file or directory")).zh
    '没有这个文件或文件夹'
    """
    said: str = getattr(error, "strerror", None) or str(error) or type(error).__name__
    number: int | None = getattr(error, "errno", None)
    if number is None:
        number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else 0
    return Text(said, CHINESE_REASONS.get(number, said))
