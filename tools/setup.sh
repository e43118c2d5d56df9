# Sourced by ./ludus and ./test, which set $root to the repository's folder: makes .venv on first
# use and brings it up to date when what it was made from changes.  POSIX sh.
#
# Each step leaves a stamp in .venv holding the checksum of its inputs, written when the step is
# done.  A step whose stamp is missing or differs is done again, so an interrupted one is never
# trusted; while packages are being installed the stamp of .venv itself is away too, because half
# an installation cannot be repaired: then all of .venv is made anew.

: "${root:?}"
venv=$root/.venv
log=$venv/setup.log

# What ./test needs from the system, as lines of: a test that it is there | Debian's packages.
system_needs='
have_compiler          | gcc libc6-dev
have_cpp_compiler      | g++
have_node              | nodejs
have_postgresql        | postgresql
have_python            | python3 python3-venv python3-dev
have_python_headers    | python3-dev
have_browser           | chromium-headless-shell
have_chinese_font      | fonts-wqy-microhei
have_shells            | zsh fish
'

unset PYTHONHOME PYTHONPATH PYTHONSTARTUP __PYVENV_LAUNCHER__

case ${LUDUS_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in
zh*) chinese=1 ;;
*) chinese= ;;
esac

# say 中文 English
say() {
    if [ "$chinese" ]; then printf '%s\n' "$1" >&2; else printf '%s\n' "$2" >&2; fi
}

fail() {
    say "弈场：$1" "Ludus: $2"
    exit 2
}

have_compiler() {
    [ "${CC:-}" ] || command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 ||
        command -v clang >/dev/null 2>&1
}

# For bots of other languages.
have_cpp_compiler() { command -v g++ >/dev/null 2>&1; }

have_node() { command -v node >/dev/null 2>&1; }

have_python() { find_python; }

# Debian keeps the server's programs off the path.
have_postgresql() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null; }

# Chromium without its windows does a test's work in two thirds of the time.
have_browser() { command -v chromium-headless-shell >/dev/null 2>&1; }

# Without one, pages in Chinese show boxes in the tests' pictures.
have_chinese_font() {
    [ -e /usr/share/fonts/truetype/wqy/wqy-microhei.ttc ] || [ -d /usr/share/fonts/opentype/noto ]
}

# For the tests of the tab key; bash is always there.
have_shells() { command -v zsh >/dev/null 2>&1 && command -v fish >/dev/null 2>&1; }

# Only Debian's own Python gets its headers from a package.
have_python_headers() {
    find_python || return 1
    "$python" -c 'import os, sys, sysconfig
headers = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(os.path.dirname(sys.executable) == "/usr/bin" and not os.path.exists(headers))'
}

# Sets $python to an interpreter that can make .venv.  An active virtual environment counts as the
# interpreter it was made from, so that ours survives it.  Returns 1 if there is none, 2 if the
# only ones there are cannot make environments.
find_python() {
    python_problem=1
    for candidate in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11 python3.14 python; do
        python=$("$candidate" -c 'import os, sys
if sys.version_info < (3, 11): sys.exit(1)
print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))' 2>/dev/null) ||
            continue
        if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then return 0; fi
        python_problem=2
    done
    return $python_problem
}

need_python() {
    if find_python; then return; fi
    case $python_problem in
    1) fail '找不到 Python 3.11 或更高版本。请先安装（例如 apt install python3 python3-venv），或用 PYTHON=/路径/python3 指定。' \
        'no Python 3.11 or later was found. Install one (for example: apt install python3 python3-venv) or name it: PYTHON=/path/to/python3.' ;;
    2) fail '这个 Python 缺少 venv 模块，请先运行：apt install python3-venv' \
        'this Python lacks its venv module; install it with: apt install python3-venv' ;;
    esac
}

# The next functions set $now, rather than print it, because every start of Ludus runs them.

# One line for the files' contents and paths; files that do not exist are left out.
sum_of() {
    for file; do
        shift
        if [ -f "$root/$file" ]; then set -- "$@" "$root/$file"; fi
    done
    now=$(cksum -- "$@" </dev/null)
    set -f
    # shellcheck disable=SC2086 # to join the lines
    set -- $now
    set +f
    now=$*
}

sum_of_compiled() {
    set -- setup.py compiled.txt
    while read -r source; do
        case $source in *.py) set -- "$@" "$source" "${source%.py}.pxd" ;; esac
    done <"$root/compiled.txt"
    sum_of "$@"
}

sum_of_page() {
    set -- web/package.json web/package-lock.json web/index.html web/standalone.html \
        web/report.html web/vite.config.ts web/svelte.config.js
    for file in $(CDPATH='' cd -- "$root" && find web/src web/public -type f 2>/dev/null | LC_ALL=C sort); do
        set -- "$@" "$file"
    done
    sum_of "$@"
    # A page that was built and then removed is built again; one that cannot be built is not.
    if ! [ -f "$root/src/ludus/server/page/index.html" ]; then now="$now unbuilt"; fi
}

# What is generated from the code (the reference) follows with the next change of a page, or with
# ./ludus --rebuild: else every change of a line of Python would build all pages anew.
sum_of_docs() {
    set -- requirements-docs.lock
    for file in $(CDPATH='' cd -- "$root" && find docs tools/docs_site -type f ! -name '*.pyc' 2>/dev/null | LC_ALL=C sort); do
        set -- "$@" "$file"
    done
    sum_of "$@"
    if ! [ -f "$root/src/ludus/server/docs/index.html" ]; then now="$now unbuilt"; fi
}

# A moved or copied folder needs a new .venv, for it holds absolute paths.
inputs_of() {
    case $1 in
    venv) now=$root ;;
    packages) sum_of requirements.lock ;;
    dev) sum_of requirements-dev.lock ;;
    project) sum_of pyproject.toml ;;
    compiled) sum_of_compiled ;;
    page) sum_of_page ;;
    docs) sum_of_docs ;;
    esac
}

is_current() {
    [ -f "$venv/stamp-$1" ] || return 1
    IFS= read -r stamp <"$venv/stamp-$1" || return 1
    inputs_of "$1"
    [ "$stamp" = "$now" ]
}

unstamp() { rm -f "$venv/stamp-$1"; }

stamp() {
    inputs_of "$1"
    printf '%s\n' "$now" >"$venv/stamp-$1.new"
    mv -f "$venv/stamp-$1.new" "$venv/stamp-$1"
}

# Is .venv ready for these steps?
ready() {
    [ -x "$venv/bin/python" ] || return 1
    for step; do
        is_current "$step" || return 1
    done
}

logged() {
    printf '\n$ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null
}

need() {
    logged "$@" && return
    say '———— .venv/setup.log 的末尾 ————' '---- the end of .venv/setup.log ----'
    tail -n 25 "$log" >&2
    fail '准备工作没有完成，原因见上面；解决后再运行一次即可。' \
        'setting up failed, for the reason above; once that is solved, just run this again.'
}

# Settings of pip that would send packages elsewhere or ask for something else.  An empty variable
# also overrides pip's configuration file.  Indexes, proxies and certificates remain the user's.
calm_pip() {
    for option in TARGET PREFIX ROOT SRC CONSTRAINT REQUIREMENT EDITABLE PYTHON NO_BINARY NO_DEPS \
        REQUIRE_HASHES REQUIRE_VIRTUALENV IGNORE_INSTALLED DRY_RUN REPORT LOG CONFIG_SETTINGS \
        PLATFORM ABI IMPLEMENTATION PYTHON_VERSION BUILD_CONSTRAINT; do
        export "PIP_$option="
    done
    export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
    unset VIRTUAL_ENV SETUPTOOLS_USE_DISTUTILS DISTUTILS_DEBUG
}

pip() { need "$venv/bin/python" -P -m pip install --progress-bar off "$@"; }

make_venv() {
    say '弈场：第一次使用，正在准备 Python 环境（.venv）……' \
        'Ludus: first use, making a Python environment (.venv) …'
    rm -rf "$venv"
    mkdir "$venv"
    need "$python" -m venv "$venv"
}

install_lock() {
    unstamp venv
    unstamp "$1"
    # The lock has everything.  Without --no-deps pip asks for the newest release of what is wanted
    # with an extra somewhere (coverage[toml]), and stops because that one is not in the lock.
    pip --no-deps --require-hashes -r "$root/$2" ${3:-}
    stamp "$1"
    stamp venv
}

do_packages() {
    say '弈场：正在安装依赖（约 280 MB，只需一次）……' \
        'Ludus: installing what it depends on (about 280 MB, once) …'
    install_lock packages requirements.lock
}

do_dev() {
    say '弈场：正在安装测试工具……' 'Ludus: installing the tools for testing …'
    # What tests import they compile themselves, a small part of it.
    install_lock dev requirements-dev.lock --no-compile
}

do_project() {
    say '弈场：正在安装弈场本身……' 'Ludus: installing Ludus itself …'
    unstamp project
    # Its name among packages has changed; the old one would leave a second set of entry points.
    if [ -d "$(echo "$venv"/lib/python3*/site-packages/ludus-[0-9]*.dist-info)" ]; then
        logged "$venv/bin/python" -P -m pip uninstall -y ludus
    fi
    LUDUS_UNCOMPILED=1 pip --no-deps --no-build-isolation -e "$root"
    stamp project
}

# What translates the rules, as the lock has it: everything else is installed while it works.
install_build_tools() {
    awk '/^[a-z]/ { wanted = /^(cython|setuptools)==/ } wanted' "$root/requirements.lock" >"$venv/build.lock"
    pip --no-deps --require-hashes -r "$venv/build.lock"
}

do_compiled() {
    say '弈场：正在编译游戏规则……' 'Ludus: compiling the rules of the games …'
    unstamp compiled
    build_log=$venv/build.log
    if ! (unset LUDUS_UNCOMPILED && CDPATH='' cd -- "$root" && "$venv/bin/python" setup.py build_ext --inplace) \
        >"$build_log" 2>&1 </dev/null; then
        find "$root/src/ludus" -name '*.so' -exec rm -f {} +
    fi
    cat "$build_log" >>"$log"
    if ! have_compiler; then
        say '弈场：没有 C 编译器，游戏规则将以普通 Python 运行（较慢）；要加速，请运行 apt install gcc python3-dev，然后 ./ludus --rebuild。' \
            'Ludus: there is no C compiler, so the rules run as plain Python (slower); to speed them up: apt install gcc python3-dev, then ./ludus --rebuild.'
    elif [ "$(uncompiled_modules)" ]; then
        say "弈场：有模块未能编译（$(uncompiled_modules)），将以普通 Python 运行（较慢），原因见 .venv/build.log；若缺少 Python.h，请运行 apt install gcc python3-dev，然后 ./ludus --rebuild。" \
            "Ludus: not compiled, so run as plain Python (slower): $(uncompiled_modules); .venv/build.log says why; if Python.h is missing: apt install gcc python3-dev, then ./ludus --rebuild."
    fi
    stamp compiled
}

# The page is built by Node, which is taken from PyPI where the machine has none.  Ludus works
# without its page, so that nothing here stops it; a failure is told once, not at every start.
do_page() {
    say '弈场：正在构建网页……' 'Ludus: building the page …'
    if ! have_node || ! build_page >>"$page_log" 2>&1 </dev/null; then
        say '弈场：网页未能构建（原因见 .venv/page.log），其他功能不受影响；解决后运行 ./ludus --rebuild。' \
            'Ludus: the page could not be built (.venv/page.log says why); everything else works. Once that is solved: ./ludus --rebuild.'
    fi
    stamp page
}

# The same goes for the docs site, whose generator is kept apart from what Ludus runs with.
do_docs() {
    say '弈场：正在构建文档……' 'Ludus: building the docs …'
    unstamp docs
    docs_log=$venv/docs.log
    : >"$docs_log"
    if ! { docs_generator && build_docs; } >>"$docs_log" 2>&1 </dev/null; then
        say '弈场：文档未能构建（原因见 .venv/docs.log），其他功能不受影响；解决后运行 ./ludus --rebuild。' \
            'Ludus: the docs could not be built (.venv/docs.log says why); everything else works. Once that is solved: ./ludus --rebuild.'
    fi
    stamp docs
}

docs_generator() {
    if cmp -s "$root/requirements-docs.lock" "$venv/docs/installed.lock"; then return 0; fi
    rm -rf "$venv/docs"
    "$venv/bin/python" -P -m pip install --progress-bar off --no-deps --no-compile --require-hashes \
        --target "$venv/docs" -r "$root/requirements-docs.lock" &&
        cp "$root/requirements-docs.lock" "$venv/docs/installed.lock"
}

# build_docs ARGUMENT…: uncompiled, because the rules may be being compiled meanwhile.
build_docs() {
    (
        CDPATH='' cd -- "$root"
        PYTHONPATH=$root LUDUS_UNCOMPILED=1 "$venv/bin/python" -P -m tools.docs_site --packages "$venv/docs" "$@"
    )
}

have_node() {
    PATH="$venv/bin:$PATH" node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1)' 2>/dev/null &&
        PATH="$venv/bin:$PATH" command -v npm >/dev/null 2>&1
}

# With pip, so not while something else is being installed.
prepare_page() {
    unstamp page
    page_log=$venv/page.log
    : >"$page_log"
    have_node || install_node >>"$page_log" 2>&1 </dev/null || :
}

install_node() {
    "$venv/bin/python" -P -m pip install --progress-bar off --no-deps --require-hashes -r "$root/requirements-node.lock"
}

build_page() {
    (
        CDPATH='' cd -- "$root/web"
        PATH="$venv/bin:$PATH"
        # shellcheck disable=SC2086 # empty, or one word
        node_packages $node_scope && npm run build
    )
}

# In web/: installs what package-lock.json names, unless that has been done.
node_packages() {
    if cmp -s package-lock.json node_modules/.installed; then return 0; fi
    npm ci --ignore-scripts --no-audit --no-fund "$@" && cp package-lock.json node_modules/.installed
}

# The modules of compiled.txt that this Python would import uncompiled.
uncompiled_modules() {
    suffix=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    modules=
    while read -r source; do
        case $source in *.py) ;; *) continue ;; esac
        if [ -f "$root/$source" ] && ! [ -f "$root/${source%.py}$suffix" ]; then
            modules="$modules $source"
        fi
    done <"$root/compiled.txt"
    printf '%s' "${modules# }"
}

# Waits until nobody else sets up this folder.  The kernel drops the lock (of file descriptor 9)
# when its last holder ends, however it ends.
wait_for_turn() {
    "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null && return
    say '弈场：另一个进程正在准备环境，请稍候……' 'Ludus: another process is setting up, waiting for it …'
    "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' 2>/dev/null || :
}

# set_up STEP…: does those of the steps that are not up to date; to compile the rules, to build the
# page and the docs and to install the tools for testing beside those that come after them.
set_up() {
    if ready venv "$@"; then return; fi
    case " $* " in
    *" dev "*) node_scope= ;; # ./test needs the page's formatter, linter and types as well
    *) node_scope=--omit=dev ;;
    esac
    need_python
    if ! [ -w "$root" ]; then
        fail "无法写入 $root，不能在那里准备环境。" "cannot set up, because $root is not writable."
    fi
    (
        wait_for_turn
        calm_pip
        if ! ready venv; then make_venv; fi
        beside=
        for step; do
            if is_current "$step"; then continue; fi
            case $step in
            compiled)
                install_build_tools
                do_compiled &
                beside="$beside $!"
                ;;
            page)
                prepare_page
                do_page &
                beside="$beside $!"
                ;;
            docs)
                do_docs &
                beside="$beside $!"
                ;;
            dev)
                do_dev &
                beside="$beside $!"
                ;;
            *) "do_$step" ;;
            esac
        done
        for process in $beside; do wait "$process" || exit; done
    ) 9>>"$root/.setup-lock"
}

# Compiles all modules and builds the page and the docs again, for instance when a compiler has been installed
# since.
rebuild() {
    unstamp compiled
    unstamp page
    unstamp docs
    rm -rf "$root/build"
    set_up compiled packages project page docs
}

# install_from_system: as root on Debian, installs what is missing of $system_needs.
install_from_system() {
    if [ "${LUDUS_NO_APT:-}" = 1 ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        return 0
    fi
    packages=$(missing_packages)
    if [ -z "$packages" ]; then return 0; fi
    say "弈场：正在用 apt-get 安装测试所需：$packages" \
        "Ludus: installing what the tests need with apt-get: $packages"
    # shellcheck disable=SC2086 # a list of words
    if apt_get update && { install_packages $packages || install_packages $(with_whole_browser); }; then
        unstamp compiled
    else
        say '弈场：apt-get 没有成功，继续进行；缺少的东西会让一些测试跳过。' \
            'Ludus: apt-get did not succeed; going on, some tests will be skipped for what is missing.'
    fi
}

install_packages() { apt_get install -y --no-install-recommends "$@"; }

# Some systems have Chromium with its windows only.
with_whole_browser() { printf '%s' "$packages" | sed 's/chromium-headless-shell/chromium/'; }

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2 </dev/null; }

missing_packages() {
    printf '%s' "$system_needs" | while IFS='|' read -r present packages; do
        # shellcheck disable=SC2086 # read keeps the space before the bar
        if [ "$packages" ] && ! $present >/dev/null 2>&1; then printf '%s ' $packages; fi
    done
}
