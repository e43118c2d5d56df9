// Json::Value: any JSON value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace Json {

using Int = int;
using UInt = unsigned int;
using Int64 = long long;
using UInt64 = unsigned long long;
using LargestInt = Int64;
using LargestUInt = UInt64;
using ArrayIndex = unsigned int;
using String = std::string;

enum ValueType {
    nullValue = 0,
    intValue,
    uintValue,
    realValue,
    stringValue,
    booleanValue,
    arrayValue,
    objectValue
};

class Exception : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};
class LogicError : public Exception {
  public:
    using Exception::Exception;
};
class RuntimeError : public Exception {
  public:
    using Exception::Exception;
};

class Value;
template <typename Pointee> class BasicIterator;

class Value {
  public:
    using Members = std::vector<std::string>;
    using Int = Json::Int;
    using UInt = Json::UInt;
    using Int64 = Json::Int64;
    using UInt64 = Json::UInt64;
    using LargestInt = Json::LargestInt;
    using LargestUInt = Json::LargestUInt;
    using ArrayIndex = Json::ArrayIndex;
    using iterator = BasicIterator<Value>;
    using const_iterator = BasicIterator<const Value>;

    Value(ValueType type = nullValue) : type_(type) {}
    Value(int number) : type_(intValue), integer_(number) {}
    Value(long number) : type_(intValue), integer_(number) {}
    Value(long long number) : type_(intValue), integer_(number) {}
    Value(unsigned number) : type_(uintValue), integer_(number) {}
    Value(unsigned long number) : type_(uintValue), integer_(static_cast<Int64>(number)) {}
    Value(unsigned long long number) : type_(uintValue), integer_(static_cast<Int64>(number)) {}
    Value(double number) : type_(realValue), real_(number) {}
    Value(bool truth) : type_(booleanValue), integer_(truth) {}
    Value(const char *text) : type_(stringValue), text_(text) {}
    Value(const char *begin, const char *end) : type_(stringValue), text_(begin, end) {}
    Value(std::string text) : type_(stringValue), text_(std::move(text)) {}

    static const Value &nullSingleton() {
        static const Value null;
        return null;
    }

    ValueType type() const { return type_; }
    bool isNull() const { return type_ == nullValue; }
    bool isBool() const { return type_ == booleanValue; }
    bool isString() const { return type_ == stringValue; }
    bool isArray() const { return type_ == arrayValue; }
    bool isObject() const { return type_ == objectValue; }
    bool isIntegral() const {
        return type_ == intValue || type_ == uintValue || (type_ == realValue && isWhole());
    }
    bool isDouble() const { return type_ == realValue || isIntegral(); }
    bool isNumeric() const { return isDouble(); }
    bool isInt() const {
        return isIntegral() && asReal() >= -2147483648.0 && asReal() <= 2147483647.0;
    }
    bool isUInt() const { return isIntegral() && asReal() >= 0 && asReal() <= 4294967295.0; }
    bool isInt64() const { return isIntegral(); }
    bool isUInt64() const { return isIntegral() && asReal() >= 0; }

    int asInt() const { return static_cast<int>(number("an integer")); }
    unsigned asUInt() const { return static_cast<unsigned>(number("an integer")); }
    Int64 asInt64() const { return number("an integer"); }
    UInt64 asUInt64() const { return static_cast<UInt64>(number("an integer")); }
    LargestInt asLargestInt() const { return asInt64(); }
    LargestUInt asLargestUInt() const { return asUInt64(); }
    double asDouble() const {
        if (type_ == stringValue || type_ == arrayValue || type_ == objectValue)
            fail("a number");
        return asReal();
    }
    float asFloat() const { return static_cast<float>(asDouble()); }
    bool asBool() const {
        if (type_ == stringValue || type_ == arrayValue || type_ == objectValue)
            fail("a truth value");
        return asReal() != 0;
    }
    std::string asString() const {
        switch (type_) {
        case nullValue:
            return "";
        case stringValue:
            return text_;
        case booleanValue:
            return integer_ ? "true" : "false";
        case arrayValue:
        case objectValue:
            fail("a string");
        default:
            return numberText();
        }
    }
    const char *asCString() const {
        if (type_ != stringValue)
            fail("a string");
        return text_.c_str();
    }

    explicit operator bool() const { return !isNull(); }
    bool operator!() const { return isNull(); }

    ArrayIndex size() const {
        return static_cast<ArrayIndex>(type_ == arrayValue ? array_.size() : object_.size());
    }
    bool empty() const { return isNull() || ((isArray() || isObject()) && size() == 0); }
    void clear() {
        array_.clear();
        object_.clear();
    }
    void resize(ArrayIndex size) {
        become(arrayValue);
        array_.resize(size);
    }

    // Elements of arrays: writing beyond the end lengthens the array, as in JsonCpp.
    Value &operator[](ArrayIndex index) {
        become(arrayValue);
        if (index >= array_.size())
            array_.resize(index + 1);
        return array_[index];
    }
    Value &operator[](int index) { return (*this)[static_cast<ArrayIndex>(index)]; }
    Value &operator[](std::size_t index) { return (*this)[static_cast<ArrayIndex>(index)]; }
    const Value &operator[](ArrayIndex index) const {
        return isArray() && index < array_.size() ? array_[index] : nullSingleton();
    }
    const Value &operator[](int index) const { return (*this)[static_cast<ArrayIndex>(index)]; }
    const Value &operator[](std::size_t index) const {
        return (*this)[static_cast<ArrayIndex>(index)];
    }
    Value &append(Value value) {
        become(arrayValue);
        array_.push_back(std::move(value));
        return array_.back();
    }
    Value get(ArrayIndex index, const Value &otherwise) const {
        return isValidIndex(index) ? (*this)[index] : otherwise;
    }
    bool isValidIndex(ArrayIndex index) const { return isArray() && index < array_.size(); }
    bool removeIndex(ArrayIndex index, Value *removed) {
        if (!isValidIndex(index))
            return false;
        if (removed)
            *removed = array_[index];
        array_.erase(array_.begin() + static_cast<std::ptrdiff_t>(index));
        return true;
    }

    // Members of objects: reading one that is missing makes it null, unless the value is constant.
    Value &operator[](const std::string &key) {
        become(objectValue);
        return object_[key];
    }
    Value &operator[](const char *key) { return (*this)[std::string(key)]; }
    const Value &operator[](const std::string &key) const {
        auto found = object_.find(key);
        return found == object_.end() ? nullSingleton() : found->second;
    }
    const Value &operator[](const char *key) const { return (*this)[std::string(key)]; }
    Value get(const std::string &key, const Value &otherwise) const {
        return isMember(key) ? (*this)[key] : otherwise;
    }
    Value get(const char *key, const Value &otherwise) const {
        return get(std::string(key), otherwise);
    }
    bool isMember(const std::string &key) const { return object_.count(key) > 0; }
    bool isMember(const char *key) const { return isMember(std::string(key)); }
    void removeMember(const std::string &key) { object_.erase(key); }
    void removeMember(const char *key) { object_.erase(std::string(key)); }
    Members getMemberNames() const {
        Members names;
        for (const auto &member : object_)
            names.push_back(member.first);
        return names;
    }

    iterator begin();
    iterator end();
    const_iterator begin() const;
    const_iterator end() const;

    bool operator==(const Value &other) const {
        return type_ == other.type_ && integer_ == other.integer_ && real_ == other.real_ &&
               text_ == other.text_ && array_ == other.array_ && object_ == other.object_;
    }
    bool operator!=(const Value &other) const { return !(*this == other); }
    void swap(Value &other) { std::swap(*this, other); }

    std::string toStyledString() const;

    // A number as JSON.
    std::string numberText() const {
        if (type_ == uintValue)
            return std::to_string(static_cast<UInt64>(integer_));
        if (type_ != realValue)
            return std::to_string(integer_);
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", real_);
        std::string shown(text);
        if (shown.find_first_not_of("-0123456789") == std::string::npos)
            shown += ".0";
        return shown;
    }

  private:
    friend class BasicIterator<Value>;
    friend class BasicIterator<const Value>;

    [[noreturn]] static void fail(const char *wanted) {
        throw LogicError(std::string("Json::Value: this value is not ") + wanted);
    }
    bool isWhole() const {
        return real_ > -9.2e18 && real_ < 9.2e18 &&
               real_ == static_cast<double>(static_cast<Int64>(real_));
    }
    double asReal() const {
        if (type_ == realValue)
            return real_;
        return type_ == uintValue ? static_cast<double>(static_cast<UInt64>(integer_))
                                  : static_cast<double>(integer_);
    }
    Int64 number(const char *wanted) const {
        if (type_ == stringValue || type_ == arrayValue || type_ == objectValue)
            fail(wanted);
        return type_ == realValue ? static_cast<Int64>(real_) : integer_;
    }
    void become(ValueType type) {
        if (type_ == nullValue)
            type_ = type;
        if (type_ != type)
            fail(type == arrayValue ? "an array" : "an object");
    }

    ValueType type_;
    Int64 integer_ = 0;
    double real_ = 0;
    std::string text_;
    std::vector<Value> array_;
    std::map<std::string, Value> object_;
};

// An iterator over the elements of an array or the members of an object.
template <typename Pointee> class BasicIterator {
  public:
    using Owner = Pointee;

    BasicIterator(Owner *owner, std::size_t index) : owner_(owner), index_(index) {}

    Pointee &operator*() const {
        if (owner_->isArray())
            return owner_->array_[index_];
        return member()->second;
    }
    Pointee *operator->() const { return &**this; }
    BasicIterator &operator++() {
        ++index_;
        return *this;
    }
    BasicIterator operator++(int) {
        BasicIterator before = *this;
        ++index_;
        return before;
    }
    BasicIterator &operator--() {
        --index_;
        return *this;
    }
    bool operator==(const BasicIterator &other) const { return index_ == other.index_; }
    bool operator!=(const BasicIterator &other) const { return index_ != other.index_; }

    Value key() const {
        return owner_->isArray() ? Value(static_cast<ArrayIndex>(index_)) : Value(member()->first);
    }
    std::string name() const { return owner_->isArray() ? "" : member()->first; }
    std::string memberName() const { return name(); }
    ArrayIndex index() const { return static_cast<ArrayIndex>(index_); }

  private:
    auto member() const {
        auto found = owner_->object_.begin();
        std::advance(found, static_cast<std::ptrdiff_t>(index_));
        return found;
    }

    Owner *owner_;
    std::size_t index_;
};

using ValueIterator = BasicIterator<Value>;
using ValueConstIterator = BasicIterator<const Value>;

inline Value::iterator Value::begin() { return {this, 0}; }
inline Value::iterator Value::end() { return {this, size()}; }
inline Value::const_iterator Value::begin() const { return {this, 0}; }
inline Value::const_iterator Value::end() const { return {this, size()}; }

} // namespace Json
