// JSON for the kits beside this file. C++17 or later.

#ifndef LUDUS_JSON_HPP
#define LUDUS_JSON_HPP

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ludus {

// A JSON value. Reading never fails on the way: what is missing is null, and null is 0, "" or
// empty. Reading a value as what it is not throws std::runtime_error.
class Json {
   public:
    enum class Kind { null, boolean, number, text, list, object };
    using List = std::vector<Json>;
    using Object = std::map<std::string, Json>;

    Json() = default;
    Json(bool value) : kind_(Kind::boolean), number_(value), whole_(value) {}
    Json(int value) : Json(static_cast<std::int64_t>(value)) {}
    Json(std::int64_t value)
        : kind_(Kind::number), number_(static_cast<double>(value)), whole_(value) {}
    Json(double value)
        : kind_(Kind::number),
          number_(value),
          whole_(std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0) {}
    Json(const char* value) : Json(std::string(value)) {}
    Json(std::string value) : kind_(Kind::text), text_(std::move(value)) {}
    Json(List value) : kind_(Kind::list), list_(std::move(value)) {}
    Json(Object value)
        : kind_(Kind::object), object_(std::make_shared<const Object>(std::move(value))) {}

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::null; }

    bool boolean() const { return expect(Kind::boolean) && whole_ != 0; }
    double number() const { return expect(Kind::number) ? number_ : 0.0; }
    std::int64_t whole() const { return expect(Kind::number) ? whole_ : 0; }
    const std::string& text() const { return expect(Kind::text) ? text_ : nothing<std::string>(); }
    const List& list() const { return expect(Kind::list) ? list_ : nothing<List>(); }
    const Object& object() const {
        return expect(Kind::object) ? *object_ : nothing<Object>();
    }

    // The value of a key, or null. json["view"]["counters"]["score"][0].whole()
    const Json& operator[](const std::string& key) const {
        const Object& inside = object();
        auto found = inside.find(key);
        return found == inside.end() ? nothing<Json>() : found->second;
    }
    const Json& operator[](const char* key) const { return (*this)[std::string(key)]; }
    // An item of a list, or null.
    const Json& operator[](std::size_t index) const {
        const List& inside = list();
        return index < inside.size() ? inside[index] : nothing<Json>();
    }
    const Json& operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
    std::size_t size() const {
        return kind_ == Kind::object ? object_->size() : kind_ == Kind::list ? list_.size() : 0;
    }

    static Json parse(const std::string& source);
    std::string dump() const;

   private:
    Kind kind_ = Kind::null;
    double number_ = 0;
    std::int64_t whole_ = 0;
    std::string text_;
    List list_;
    std::shared_ptr<const Object> object_;

    template <typename T>
    static const T& nothing() {
        static const T empty{};
        return empty;
    }

    bool expect(Kind wanted) const {
        static const char* const names[] = {"null", "a boolean", "a number",
                                            "a text", "a list", "an object"};
        if (kind_ != wanted && kind_ != Kind::null) {
            throw std::runtime_error(std::string("expected ") + names[static_cast<int>(wanted)] +
                                     " in JSON, found " + names[static_cast<int>(kind_)]);
        }
        return kind_ == wanted;
    }
};

namespace detail {

class Reader {
   public:
    explicit Reader(const std::string& source) : at_(source.data()), end_(at_ + source.size()) {}

    Json document() {
        Json value = any(0);
        blank();
        if (at_ != end_) fail();
        return value;
    }

   private:
    static constexpr int deepest = 200;
    const char* at_;
    const char* end_;

    [[noreturn]] static void fail() { throw std::runtime_error("this is not JSON"); }

    void blank() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }

    char peek() {
        blank();
        if (at_ == end_) fail();
        return *at_;
    }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    void need(char wanted) {
        if (!take(wanted)) fail();
    }

    Json word(const char* rest, Json value) {
        for (; *rest; ++rest, ++at_) {
            if (at_ == end_ || *at_ != *rest) fail();
        }
        return value;
    }

    Json any(int depth) {
        if (depth > deepest) fail();
        switch (peek()) {
            case '{':
                return object(depth);
            case '[':
                return list(depth);
            case '"':
                return Json(text());
            case 't':
                return word("true", Json(true));
            case 'f':
                return word("false", Json(false));
            case 'n':
                return word("null", Json());
            default:
                return number();
        }
    }

    Json object(int depth) {
        Json::Object found;
        need('{');
        if (take('}')) return Json(std::move(found));
        do {
            if (peek() != '"') fail();
            std::string key = text();
            need(':');
            found[std::move(key)] = any(depth + 1);
        } while (take(','));
        need('}');
        return Json(std::move(found));
    }

    Json list(int depth) {
        Json::List found;
        need('[');
        if (take(']')) return Json(std::move(found));
        do {
            found.push_back(any(depth + 1));
        } while (take(','));
        need(']');
        return Json(std::move(found));
    }

    Json number() {
        const char* begin = at_;
        bool whole = true;
        while (at_ != end_ && (std::string("+-.eE").find(*at_) != std::string::npos ||
                               (*at_ >= '0' && *at_ <= '9'))) {
            whole = whole && *at_ != '.' && *at_ != 'e' && *at_ != 'E';
            ++at_;
        }
        std::string digits(begin, at_);
        char* stop = nullptr;
        errno = 0;
        if (whole) {
            long long value = std::strtoll(digits.c_str(), &stop, 10);
            if (errno == 0 && stop == digits.c_str() + digits.size() && !digits.empty()) {
                return Json(static_cast<std::int64_t>(value));
            }
        }
        double value = std::strtod(digits.c_str(), &stop);
        if (digits.empty() || stop != digits.c_str() + digits.size()) fail();
        return Json(value);
    }

    std::string text() {
        std::string found;
        ++at_;
        while (true) {
            if (at_ == end_) fail();
            char sign = *at_++;
            if (sign == '"') return found;
            if (sign == '\\') {
                escaped(found);
            } else {
                found += sign;
            }
        }
    }

    void escaped(std::string& found) {
        if (at_ == end_) fail();
        char sign = *at_++;
        static const std::string names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        std::size_t known = names.find(sign);
        if (known != std::string::npos) {
            found += meant[known];
        } else if (sign == 'u') {
            add_utf8(found, code_point());
        } else {
            fail();
        }
    }

    unsigned code_point() {
        unsigned high = hex();
        if (high < 0xD800 || high > 0xDBFF) return high;
        if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') fail();
        at_ += 2;
        unsigned low = hex();
        if (low < 0xDC00 || low > 0xDFFF) fail();
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }

    unsigned hex() {
        if (end_ - at_ < 4) fail();
        unsigned value = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            char sign = *at_;
            unsigned digit = sign >= '0' && sign <= '9'   ? sign - '0'
                             : sign >= 'a' && sign <= 'f' ? sign - 'a' + 10
                             : sign >= 'A' && sign <= 'F' ? sign - 'A' + 10
                                                          : 16;
            if (digit == 16) fail();
            value = value * 16 + digit;
        }
        return value;
    }

    static void add_utf8(std::string& found, unsigned code) {
        if (code < 0x80) {
            found += static_cast<char>(code);
            return;
        }
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
        found += static_cast<char>(first[more] | (code >> (6 * more)));
        while (more-- > 0) found += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
    }
};

inline void quote(std::string& out, const std::string& text) {
    out += '"';
    for (char sign : text) {
        if (sign == '"' || sign == '\\') {
            out += '\\';
            out += sign;
        } else if (static_cast<unsigned char>(sign) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(sign));
            out += code;
        } else {
            out += sign;
        }
    }
    out += '"';
}

inline void write(std::string& out, const Json& value) {
    char digits[40];
    const char* between = "";
    switch (value.kind()) {
        case Json::Kind::null:
            out += "null";
            break;
        case Json::Kind::boolean:
            out += value.boolean() ? "true" : "false";
            break;
        case Json::Kind::number:
            if (static_cast<double>(value.whole()) == value.number()) {
                std::snprintf(digits, sizeof digits, "%lld",
                              static_cast<long long>(value.whole()));
            } else {
                std::snprintf(digits, sizeof digits, "%.17g", value.number());
            }
            out += digits;
            break;
        case Json::Kind::text:
            quote(out, value.text());
            break;
        case Json::Kind::list:
            out += '[';
            for (const Json& item : value.list()) {
                out += between;
                write(out, item);
                between = ",";
            }
            out += ']';
            break;
        case Json::Kind::object:
            out += '{';
            for (const auto& item : value.object()) {
                out += between;
                quote(out, item.first);
                out += ':';
                write(out, item.second);
                between = ",";
            }
            out += '}';
            break;
    }
}

}  // namespace detail

inline Json Json::parse(const std::string& source) { return detail::Reader(source).document(); }

inline std::string Json::dump() const {
    std::string out;
    detail::write(out, *this);
    return out;
}

}  // namespace ludus

#endif
