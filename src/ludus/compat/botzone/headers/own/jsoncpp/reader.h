// Json::Reader and Json::CharReaderBuilder: from text to values.
#pragma once

#include <cstdlib>
#include <istream>
#include <iterator>
#include <memory>
#include <string>

#include "value.h"

namespace Json {

// Parses one JSON value; throws RuntimeError with the place of the first mistake.
class Parser {
  public:
    Parser(const char *begin, const char *end) : begin_(begin), at_(begin), end_(end) {}

    Value parse() {
        Value value = parseValue(0);
        return value;
    }

  private:
    static const int MAX_DEPTH = 1000;

    [[noreturn]] void fail(const std::string &why) const {
        throw RuntimeError("* Character " + std::to_string(at_ - begin_ + 1) + ": " + why);
    }
    void skipBlanks() {
        while (at_ < end_) {
            if (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')
                ++at_;
            else if (*at_ == '/' && at_ + 1 < end_ && (at_[1] == '/' || at_[1] == '*'))
                skipComment();
            else
                return;
        }
    }
    void skipComment() {
        bool line = at_[1] == '/';
        for (at_ += 2; at_ < end_; ++at_) {
            if (line && *at_ == '\n')
                return;
            if (!line && *at_ == '*' && at_ + 1 < end_ && at_[1] == '/') {
                at_ += 2;
                return;
            }
        }
    }
    char peek() {
        skipBlanks();
        return at_ < end_ ? *at_ : '\0';
    }
    void expect(char wanted) {
        if (peek() != wanted)
            fail(std::string("expected '") + wanted + "'");
        ++at_;
    }
    bool takeWord(const std::string &word) {
        if (static_cast<std::size_t>(end_ - at_) < word.size() ||
            word.compare(0, word.size(), at_, word.size()) != 0)
            return false;
        at_ += word.size();
        return true;
    }

    Value parseValue(int depth) {
        if (depth > MAX_DEPTH)
            fail("too deeply nested");
        switch (peek()) {
        case '{':
            return parseObject(depth);
        case '[':
            return parseArray(depth);
        case '"':
            return parseString();
        default:
            if (takeWord("true"))
                return true;
            if (takeWord("false"))
                return false;
            if (takeWord("null"))
                return Value();
            return parseNumber();
        }
    }
    Value parseObject(int depth) {
        Value object(objectValue);
        expect('{');
        if (peek() == '}') {
            ++at_;
            return object;
        }
        while (true) {
            if (peek() != '"')
                fail("expected the name of a member");
            std::string key = parseString();
            expect(':');
            object[key] = parseValue(depth + 1);
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect('}');
            return object;
        }
    }
    Value parseArray(int depth) {
        Value array(arrayValue);
        expect('[');
        if (peek() == ']') {
            ++at_;
            return array;
        }
        while (true) {
            array.append(parseValue(depth + 1));
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect(']');
            return array;
        }
    }
    std::string parseString() {
        expect('"');
        std::string text;
        while (at_ < end_ && *at_ != '"') {
            if (*at_ != '\\') {
                text += *at_++;
                continue;
            }
            if (++at_ >= end_)
                fail("a string has no end");
            parseEscape(text);
        }
        if (at_ >= end_)
            fail("a string has no end");
        ++at_;
        return text;
    }
    void parseEscape(std::string &text) {
        static const std::string names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        char name = *at_++;
        std::size_t known = names.find(name);
        if (known != std::string::npos) {
            text += meanings[known];
            return;
        }
        if (name != 'u')
            fail("unknown escape in a string");
        unsigned code = parseHex();
        if (code >= 0xD800 && code < 0xDC00 && takeWord("\\u"))
            code = 0x10000 + ((code & 0x3FF) << 10) + (parseHex() & 0x3FF);
        appendUtf8(text, code);
    }
    unsigned parseHex() {
        if (end_ - at_ < 4)
            fail("expected four hexadecimal digits");
        std::string digits(at_, at_ + 4);
        if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
            fail("expected four hexadecimal digits");
        at_ += 4;
        return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
    }
    static void appendUtf8(std::string &text, unsigned code) {
        if (code < 0x80) {
            text += static_cast<char>(code);
            return;
        }
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const int first[] = {0, 0xC0, 0xE0, 0xF0};
        text += static_cast<char>(first[more] | static_cast<int>(code >> (6 * more)));
        while (more-- > 0)
            text += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
    }
    Value parseNumber() {
        std::string text;
        while (at_ < end_ && std::string("+-0123456789.eE").find(*at_) != std::string::npos)
            text += *at_++;
        std::size_t digits = text.find_first_of("0123456789");
        if (digits == std::string::npos || digits > 1)
            fail("expected a value");
        if (text.find_first_of(".eE") != std::string::npos || text.size() > 20)
            return std::strtod(text.c_str(), nullptr);
        if (text[0] == '-')
            return static_cast<Int64>(std::strtoll(text.c_str(), nullptr, 10));
        UInt64 number = std::strtoull(text.c_str(), nullptr, 10);
        if (number > 9223372036854775807ULL)
            return number;
        return static_cast<Int64>(number);
    }

    const char *begin_;
    const char *at_;
    const char *end_;
};

class Reader {
  public:
    bool parse(const char *begin, const char *end, Value &root, bool = true) {
        error_.clear();
        try {
            root = Parser(begin, end).parse();
            return true;
        } catch (const RuntimeError &error) {
            error_ = error.what();
            root = Value();
            return false;
        }
    }
    bool parse(const std::string &text, Value &root, bool comments = true) {
        return parse(text.data(), text.data() + text.size(), root, comments);
    }
    bool parse(std::istream &input, Value &root, bool comments = true) {
        std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
        return parse(text, root, comments);
    }
    bool good() const { return error_.empty(); }
    std::string getFormattedErrorMessages() const { return error_; }
    std::string getFormatedErrorMessages() const { return error_; }

  private:
    std::string error_;
};

class CharReader {
  public:
    bool parse(const char *begin, const char *end, Value *root, std::string *errors) {
        bool fine = reader_.parse(begin, end, *root);
        if (!fine && errors)
            *errors = reader_.getFormattedErrorMessages();
        return fine;
    }

  private:
    Reader reader_;
};

class CharReaderBuilder {
  public:
    CharReader *newCharReader() const { return new CharReader; }
    Value &operator[](const std::string &key) { return settings_[key]; }
    Value settings_;
};

inline bool parseFromStream(const CharReaderBuilder &, std::istream &input, Value *root,
                            std::string *errors) {
    Reader reader;
    bool fine = reader.parse(input, *root);
    if (!fine && errors)
        *errors = reader.getFormattedErrorMessages();
    return fine;
}

inline std::istream &operator>>(std::istream &input, Value &root) {
    std::string errors;
    if (!parseFromStream(CharReaderBuilder(), input, &root, &errors))
        throw RuntimeError(errors);
    return input;
}

} // namespace Json
