// Json::FastWriter, Json::StyledWriter and Json::StreamWriterBuilder: from values to text.
#pragma once

#include <cstdio>
#include <memory>
#include <ostream>
#include <string>

#include "value.h"

namespace Json {

// A string as JSON, in quotes.
inline std::string valueToQuotedString(const std::string &text) {
    static const std::string named = "\"\\\b\f\n\r\t", names = "\"\\bfnrt";
    std::string quoted = "\"";
    for (char sign : text) {
        std::size_t known = named.find(sign);
        if (known != std::string::npos) {
            quoted += '\\';
            quoted += names[known];
        } else if (static_cast<unsigned char>(sign) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(sign));
            quoted += escape;
        } else {
            quoted += sign;
        }
    }
    return quoted + "\"";
}

// Writes a value; with an empty indentation everything is in one line.
class TextWriter {
  public:
    explicit TextWriter(std::string indentation) : indentation_(std::move(indentation)) {}

    std::string write(const Value &value) const {
        std::string text;
        writeValue(value, text, "\n");
        return text;
    }

  private:
    void writeValue(const Value &value, std::string &text, const std::string &line) const {
        switch (value.type()) {
        case nullValue:
            text += "null";
            return;
        case booleanValue:
            text += value.asBool() ? "true" : "false";
            return;
        case stringValue:
            text += valueToQuotedString(value.asString());
            return;
        case arrayValue:
        case objectValue:
            writeItems(value, text, line);
            return;
        default:
            text += value.numberText();
        }
    }
    void writeItems(const Value &value, std::string &text, const std::string &line) const {
        const bool array = value.isArray();
        const std::string inner = line + indentation_;
        text += array ? '[' : '{';
        bool first = true;
        for (auto item = value.begin(); item != value.end(); ++item) {
            if (!first)
                text += ',';
            first = false;
            if (!indentation_.empty())
                text += inner;
            if (!array)
                text += valueToQuotedString(item.name()) + (indentation_.empty() ? ":" : " : ");
            writeValue(*item, text, inner);
        }
        if (!indentation_.empty() && value.size() > 0)
            text += line;
        text += array ? ']' : '}';
    }

    std::string indentation_;
};

class Writer {
  public:
    virtual ~Writer() = default;
    virtual std::string write(const Value &root) = 0;
};

class FastWriter : public Writer {
  public:
    std::string write(const Value &root) override {
        return TextWriter("").write(root) + (ends_line_ ? "\n" : "");
    }
    void omitEndingLineFeed() { ends_line_ = false; }
    void enableYAMLCompatibility() {}
    void dropNullPlaceholders() {}

  private:
    bool ends_line_ = true;
};

class StyledWriter : public Writer {
  public:
    std::string write(const Value &root) override { return TextWriter("   ").write(root) + "\n"; }
};

class StreamWriter {
  public:
    explicit StreamWriter(std::string indentation) : writer_(std::move(indentation)) {}
    int write(const Value &root, std::ostream *output) {
        *output << writer_.write(root);
        return 0;
    }

  private:
    TextWriter writer_;
};

class StreamWriterBuilder {
  public:
    Value settings_;

    StreamWriterBuilder() { settings_["indentation"] = "\t"; }
    Value &operator[](const std::string &key) { return settings_[key]; }
    std::string indentation() const { return settings_["indentation"].asString(); }
    StreamWriter *newStreamWriter() const { return new StreamWriter(indentation()); }
};

inline std::string writeString(const StreamWriterBuilder &builder, const Value &root) {
    return TextWriter(builder.indentation()).write(root);
}

inline std::ostream &operator<<(std::ostream &output, const Value &root) {
    return output << TextWriter("\t").write(root);
}

inline std::string Value::toStyledString() const { return StyledWriter().write(*this); }

} // namespace Json
