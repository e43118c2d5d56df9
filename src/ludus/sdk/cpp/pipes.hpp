// The pipes of a bot, an AI or a logic, for the kits beside this file. C++17 or later.

#ifndef LUDUS_PIPES_HPP
#define LUDUS_PIPES_HPP

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace ludus {
namespace detail {

// Moved away from stdin and stdout before anything of the program can run: from then on standard
// output is standard error, and standard input is empty.
class Pipes {
   public:
    Pipes() : in_(dup(0)), out_(dup(1)) {
        for_a_person_ = isatty(0);
        dup2(2, 1);
        int nothing = open("/dev/null", O_RDONLY);
        if (nothing >= 0) {
            dup2(nothing, 0);
            close(nothing);
        }
    }

    bool for_a_person() const { return for_a_person_; }

    // Exactly so many bytes; false when the other end has hung up.
    bool read(std::string& bytes, std::size_t size) {
        while (ahead_.size() < size) {
            if (!more()) return false;
        }
        bytes = ahead_.substr(0, size);
        ahead_.erase(0, size);
        return true;
    }

    // A length of four bytes, and what follows it.
    bool frame(std::string& body) {
        std::string head;
        if (!read(head, 4)) return false;
        std::size_t size = 0;
        for (char sign : head) size = size << 8 | static_cast<unsigned char>(sign);
        return read(body, size);
    }

    // A line without its end.
    bool line(std::string& text) {
        std::size_t searched = 0, end;
        while ((end = ahead_.find('\n', searched)) == std::string::npos) {
            searched = ahead_.size();
            if (!more()) return false;
        }
        text = ahead_.substr(0, end);
        ahead_.erase(0, end + 1);
        return true;
    }

    void send(const std::string& data) {
        for (std::size_t done = 0; done < data.size();) {
            ssize_t count = ::write(out_, data.data() + done, data.size() - done);
            if (count < 0 && errno != EINTR) std::_Exit(0);  // the other end has hung up
            if (count > 0) done += static_cast<std::size_t>(count);
        }
    }

   private:
    int in_, out_;
    bool for_a_person_ = false;
    std::string ahead_;  // read, and not yet asked for

    bool more() {
        char chunk[65536];
        ssize_t count;
        do {
            count = ::read(in_, chunk, sizeof chunk);
        } while (count < 0 && errno == EINTR);
        if (count > 0) ahead_.append(chunk, static_cast<std::size_t>(count));
        return count > 0;
    }
};

inline Pipes pipes;

// A number as four bytes, the highest first.
inline std::string four_bytes(long long number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
    return bytes;
}

inline std::string framed(const std::string& body) {
    return four_bytes(static_cast<long long>(body.size())) + body;
}

}  // namespace detail
}  // namespace ludus

#endif
