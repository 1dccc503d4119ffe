// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the format event by event, because files have tens of thousands of nodes and repeated keys must be detected.
#include "core/egraph/json.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::egraph {

namespace {

using Json = nlohmann::json;

/// Iterates over the text and counts the characters that the parser has consumed, which its events do not report.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** reached) : m_at(at), m_reached(reached) {}
    reference operator*() const { return *m_at; }
    CountingIterator& operator++() {
        *m_reached = ++m_at;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at;
    const char** m_reached;
};

/// A value that is neither object nor array, as the parser reports it.
struct Scalar {
    enum class Kind : std::uint8_t { Null, Bool, Number, Text };
    Kind kind = Kind::Null;
    bool truth = false;
    double number = 0.0;
    std::string* text = nullptr;
    std::string json;  ///< its JSON text; unused for Text
};

const char* nameOf(Scalar::Kind kind) {
    switch (kind) {
        case Scalar::Kind::Null: return "null";
        case Scalar::Kind::Bool: return "a truth value";
        case Scalar::Kind::Number: return "a number";
        case Scalar::Kind::Text: return "a text";
    }
    return "";
}

/// Rebuilds the text of a value that is kept without being interpreted.
class Recorder {
public:
    void scalar(const Scalar& value) {
        separate();
        m_text += value.kind == Scalar::Kind::Text ? jsonText(*value.text) : value.json;
    }
    void open(char bracket) {
        separate();
        m_text += bracket;
        ++m_depth;
    }
    void close(char bracket) {
        m_text += bracket;
        --m_depth;
    }
    void key(const std::string& name) {
        separate();
        m_text += jsonText(name) + ":";
    }
    [[nodiscard]] bool isComplete() const { return m_depth == 0; }
    std::string take() { return std::exchange(m_text, {}); }

private:
    void separate() {
        if (m_text.empty()) return;
        const char last = m_text.back();
        if (last != '[' && last != '{' && last != ':') m_text += ',';
    }

    std::string m_text;
    std::size_t m_depth = 0;
};

class Reader {
public:
    explicit Reader(const SourceText& source) : m_source(source), m_reached(source.text().data()) {}

    Result<LoadedSnapshot> read() {
        const std::string_view text = m_source.text();
        if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
            return m_source.error({0, 0}, "the file is empty", "an e-graph is an object with the key \"nodes\"");
        }
        const char* const end = text.data() + text.size();
        const bool ended =
            Json::sax_parse(CountingIterator(text.data(), &m_reached), CountingIterator(end, &m_reached), this);
        if (m_error) return *m_error;
        if (!ended) return failure(offset(), "this is no JSON");
        if (!m_sawNodes) {
            return failure(0, "there is no key \"nodes\"", "an e-graph is an object that lists its nodes there");
        }
        return finish();
    }

    // Callbacks of the parser.
    bool null() { return scalar({Scalar::Kind::Null, false, 0.0, nullptr, "null"}); }
    bool boolean(bool value) { return scalar({Scalar::Kind::Bool, value, 0.0, nullptr, value ? "true" : "false"}); }
    bool number_integer(std::int64_t value) {
        return scalar({Scalar::Kind::Number, false, static_cast<double>(value), nullptr, std::to_string(value)});
    }
    bool number_unsigned(std::uint64_t value) {
        return scalar({Scalar::Kind::Number, false, static_cast<double>(value), nullptr, std::to_string(value)});
    }
    bool number_float(double value, const std::string& text) {
        return scalar({Scalar::Kind::Number, false, value, nullptr, text});
    }
    bool string(std::string& value) { return scalar({Scalar::Kind::Text, false, 0.0, &value, {}}); }
    bool binary(Json::binary_t& /*value*/) { return fail("binary values have no place here"); }

    bool start_object(std::size_t /*count*/) {
        if (m_recording) return m_recorder.open('{'), true;
        switch (m_at) {
            case At::Start: m_at = At::Top; return true;
            case At::Top:
                if (m_field == Field::Nodes) return m_at = At::Nodes, true;
                if (m_field == Field::ClassData) return m_at = At::ClassData, true;
                return unexpected("an object");
            case At::Nodes: m_at = At::Node; return true;
            case At::ClassData: m_at = At::ClassEntry; return true;
            case At::ClassEntry:
                if (m_field == Field::Type) return unexpected("an object");
                m_recording = true;
                return m_recorder.open('{'), true;
            default: return unexpected("an object");
        }
    }
    bool end_object() {
        if (m_recording) {
            m_recorder.close('}');
            return m_recorder.isComplete() ? endRecording() : true;
        }
        switch (m_at) {
            case At::Node: m_at = At::Nodes; return endNode();
            case At::ClassEntry: m_at = At::ClassData; return true;
            default: m_at = At::Top; return true;
        }
    }
    bool start_array(std::size_t /*count*/) {
        if (m_recording) return m_recorder.open('['), true;
        if (m_at == At::Top && m_field == Field::Roots) return m_at = At::Roots, true;
        if (m_at == At::Node && m_field == Field::Children) return m_at = At::Children, true;
        if (m_at == At::ClassEntry && m_field != Field::Type) {
            m_recording = true;
            return m_recorder.open('['), true;
        }
        return unexpected("an array");
    }
    bool end_array() {
        if (m_recording) {
            m_recorder.close(']');
            return m_recorder.isComplete() ? endRecording() : true;
        }
        m_at = m_at == At::Roots ? At::Top : At::Node;
        return true;
    }
    bool key(std::string& name) {
        if (m_recording) return m_recorder.key(name), true;
        switch (m_at) {
            case At::Top: return topKey(name);
            case At::Nodes: return startNode(name);
            case At::Node: return nodeKey(name);
            case At::ClassData: return startClassEntry(name);
            default: return classKey(name);
        }
    }
    bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) {
        const std::size_t at = position == 0 ? 0 : position - 1;
        if (at >= m_source.text().size()) {
            return fail("the text ends in the middle: the file is truncated", "write or download it again");
        }
        const std::string_view rest = m_source.text().substr(at);
        if (rest.starts_with("NaN") || rest.starts_with("Inf") || token == "-I") {
            return fail(fmt::format("{}JSON has no NaN and no infinity", who()),
                        "a node that must not be chosen has a large cost, or is subsumed");
        }
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …"
        const std::string_view what = error.what();
        const std::size_t begin = what.find(": ");
        return fail(fmt::format("{}this is no JSON: {}", who(),
                                begin == std::string_view::npos ? what : what.substr(begin + 2)));
    }

private:
    enum class At : std::uint8_t { Start, Top, Nodes, Node, Children, Roots, ClassData, ClassEntry };
    enum class Field : std::uint8_t { Nodes, Roots, ClassData, Op, Children, Eclass, Cost, Subsumed, Type, Other };

    /// An id that occurred as a node or as a child of one.
    struct NodeName {
        std::uint32_t node = Snapshot::None;
        std::size_t offset = 0;  ///< its first occurrence
        std::uint32_t parent = 0;
    };
    struct ClassEntry {
        std::string id;
        std::string type;
        std::vector<std::pair<std::string, std::string>> data;
    };

    [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(m_reached - m_source.text().data()); }
    Error failure(std::size_t at, std::string message, std::string hint = {}) const {
        return m_source.error({at, at}, std::move(message), std::move(hint));
    }
    bool failAt(std::size_t at, std::string message, std::string hint = {}) {
        m_error = failure(at, std::move(message), std::move(hint));
        return false;
    }
    bool fail(std::string message, std::string hint = {}) {
        // The parser reports a value after its last byte.
        return failAt(offset() == 0 ? 0 : offset() - 1, std::move(message), std::move(hint));
    }
    /// The start of a message: the node or class being read.
    [[nodiscard]] std::string who() const {
        if (m_at == At::Node || m_at == At::Children) return fmt::format("node {}: ", jsonText(m_node.id));
        if (m_at == At::ClassEntry) return fmt::format("class_data of {}: ", jsonText(m_entries.back().id));
        return {};
    }
    bool unexpected(const std::string& found) {
        switch (m_at) {
            case At::Start: return fail(fmt::format("an e-graph is a JSON object, not {}", found));
            case At::Top:
                return fail(fmt::format("{} must be {}, not {}", jsonText(m_key),
                                        m_field == Field::Roots ? "an array of class ids" : "an object", found));
            case At::Nodes: return fail(fmt::format("node {}: must be an object, not {}", jsonText(m_node.id), found));
            case At::Children: return fail(fmt::format("{}children are ids of nodes, not {}", who(), found));
            case At::Roots: return fail(fmt::format("roots are ids of classes, not {}", found));
            case At::ClassData:
                return fail(
                    fmt::format("class_data of {}: must be an object, not {}", jsonText(m_entries.back().id), found));
            default: break;
        }
        const char* expected = m_field == Field::Children   ? "an array of node ids"
                               : m_field == Field::Cost     ? "a number"
                               : m_field == Field::Subsumed ? "true or false"
                                                            : "a text";
        return fail(fmt::format("{}{} must be {}, not {}", who(), jsonText(m_key), expected, found),
                    m_field == Field::Cost && found == "null"
                        ? "null is what writers make of NaN and infinity; write a large number, or subsumed"
                        : "");
    }

    bool topKey(const std::string& name) {
        if (!m_topKeys.insert(name).second) return fail(fmt::format("the key {} stands here twice", jsonText(name)));
        m_key = name;
        m_field = name == "nodes"           ? Field::Nodes
                  : name == "root_eclasses" ? Field::Roots
                  : name == "class_data"    ? Field::ClassData
                                            : Field::Other;
        m_sawNodes = m_sawNodes || m_field == Field::Nodes;
        m_recording = m_field == Field::Other;
        return true;
    }
    bool startNode(const std::string& id) {
        const auto number = static_cast<std::uint32_t>(m_loaded.snapshot.nodes.size());
        NodeName& name = m_names.try_emplace(id, NodeName{Snapshot::None, offset(), number}).first->second;
        if (name.node != Snapshot::None) {
            return fail(fmt::format("there are two nodes {}", jsonText(id)), "ids of nodes must differ");
        }
        name.node = number;
        m_node = {};
        m_node.id = id;
        m_node.firstChild = static_cast<std::uint32_t>(m_loaded.snapshot.children.size());
        m_nodeKeys.clear();
        m_eclass.reset();
        m_nodeOffset = offset();
        return true;
    }
    bool nodeKey(const std::string& name) {
        m_key = name;
        m_field = name == "op"         ? Field::Op
                  : name == "children" ? Field::Children
                  : name == "eclass"   ? Field::Eclass
                  : name == "cost"     ? Field::Cost
                  : name == "subsumed" ? Field::Subsumed
                                       : Field::Other;
        if (!m_nodeKeys.insert(name).second) {
            return fail(fmt::format("{}the key {} stands there twice", who(), jsonText(name)));
        }
        m_recording = m_field == Field::Other;
        if (m_recording && m_ignoredKeys++ == 0)
            m_firstIgnored = fmt::format("{} of node {}", jsonText(name), jsonText(m_node.id));
        return true;
    }
    bool startClassEntry(const std::string& id) {
        m_entryKeys.clear();
        if (!m_entryIds.insert(id).second) return fail(fmt::format("class_data has {} twice", jsonText(id)));
        m_entries.push_back({id, {}, {}});
        return true;
    }
    bool classKey(const std::string& name) {
        m_key = name;
        m_field = name == "type" ? Field::Type : Field::Other;
        if (!m_entryKeys.insert(name).second) {
            return fail(fmt::format("{}the key {} stands there twice", who(), jsonText(name)));
        }
        return true;
    }

    bool scalar(const Scalar& value) {
        if (m_recording) {
            m_recorder.scalar(value);
            return m_recorder.isComplete() ? endRecording() : true;
        }
        const bool isText = value.kind == Scalar::Kind::Text;
        switch (m_at) {
            case At::Children: return isText ? addChild(*value.text) : unexpected(nameOf(value.kind));
            case At::Roots:
                if (!isText) return unexpected(nameOf(value.kind));
                m_roots.emplace_back(*value.text, offset() - 1);
                return true;
            case At::Node: return nodeValue(value);
            case At::ClassEntry: return classValue(value);
            default: return unexpected(nameOf(value.kind));
        }
    }
    bool nodeValue(const Scalar& value) {
        const auto has = [&](Scalar::Kind kind) { return value.kind == kind; };
        if (m_field == Field::Op && has(Scalar::Kind::Text)) return m_node.op = std::move(*value.text), true;
        if (m_field == Field::Eclass && has(Scalar::Kind::Text)) return m_eclass = std::move(*value.text), true;
        if (m_field == Field::Cost && has(Scalar::Kind::Number)) return m_node.cost = value.number, true;
        if (m_field == Field::Subsumed && has(Scalar::Kind::Bool)) return m_node.subsumed = value.truth, true;
        return unexpected(nameOf(value.kind));
    }
    bool classValue(const Scalar& value) {
        ClassEntry& entry = m_entries.back();
        if (m_field == Field::Type) {
            if (value.kind == Scalar::Kind::Null) return true;
            if (value.kind != Scalar::Kind::Text) return unexpected(nameOf(value.kind));
            return entry.type = std::move(*value.text), true;
        }
        // Newer writers store more than strings here; other values are kept as JSON text.
        entry.data.emplace_back(m_key, value.kind == Scalar::Kind::Text ? *value.text : value.json);
        return true;
    }
    bool endRecording() {
        m_recording = false;
        std::string text = m_recorder.take();
        if (m_at == At::Top)
            m_loaded.snapshot.otherKeys.emplace_back(m_key, std::move(text));
        else if (m_at == At::ClassEntry)
            m_entries.back().data.emplace_back(m_key, std::move(text));
        return true;
    }
    bool addChild(const std::string& id) {
        Snapshot& snapshot = m_loaded.snapshot;
        const auto parent = static_cast<std::uint32_t>(snapshot.nodes.size());
        const auto [place, isNew] = m_names.try_emplace(id, NodeName{Snapshot::None, offset() - 1, parent});
        if (place->second.node != Snapshot::None) {
            snapshot.children.push_back(place->second.node);
        } else {
            m_open.emplace_back(snapshot.children.size(), id);
            snapshot.children.push_back(Snapshot::None);
        }
        return true;
    }
    bool endNode() {
        Snapshot& snapshot = m_loaded.snapshot;
        for (const char* required : {"op", "eclass"}) {
            if (m_nodeKeys.contains(required)) continue;
            return failAt(m_nodeOffset,
                          fmt::format("node {}: the key \"{}\" is missing", jsonText(m_node.id), required));
        }
        const auto next = static_cast<std::uint32_t>(snapshot.classes.size());
        const auto [place, isNew] = m_classes.try_emplace(*m_eclass, next);
        if (isNew) snapshot.classes.push_back({*m_eclass, {}, {}, 0});
        m_node.eclass = place->second;
        m_node.childCount = static_cast<std::uint32_t>(snapshot.children.size()) - m_node.firstChild;
        snapshot.nodes.push_back(std::move(m_node));
        return true;
    }

    Result<LoadedSnapshot> finish() {
        Snapshot& snapshot = m_loaded.snapshot;
        for (const auto& [child, id] : m_open) {
            const NodeName& name = m_names.find(id)->second;
            if (name.node == Snapshot::None) {
                return failure(name.offset,
                               fmt::format("node {}: there is no node {}, which is one of its children",
                                           jsonText(snapshot.nodes[name.parent].id), jsonText(id)),
                               "children are ids of nodes, not of classes");
            }
            snapshot.children[child] = name.node;
        }
        for (const auto& [id, at] : m_roots) {
            const auto place = m_classes.find(id);
            if (place == m_classes.end()) {
                return failure(at, fmt::format("the root {} is no class: no node has this \"eclass\"", jsonText(id)),
                               "some writers name classes that were merged into others; name a class that has nodes");
            }
            snapshot.roots.push_back(place->second);
        }
        std::vector<std::string>& warnings = m_loaded.warnings;
        if (m_ignoredKeys > 0) {
            warnings.push_back(fmt::format("{} keys of nodes are not part of the format and were left out, first {}",
                                           m_ignoredKeys, m_firstIgnored));
        }
        std::size_t stale = 0;
        for (ClassEntry& entry : m_entries) {
            const auto place = m_classes.find(entry.id);
            if (place == m_classes.end()) {
                if (stale++ == 0) warnings.push_back(entry.id);
                continue;
            }
            Snapshot::Class& eclass = snapshot.classes[place->second];
            eclass.type = std::move(entry.type);
            eclass.data = std::move(entry.data);
        }
        if (stale > 0) {
            warnings.back() = fmt::format("class_data tells of {} classes without nodes, which was left out, first {}",
                                          stale, jsonText(warnings.back()));
        }
        return std::move(m_loaded);
    }

    const SourceText& m_source;
    const char* m_reached;
    std::optional<Error> m_error;
    At m_at = At::Start;
    Field m_field = Field::Other;
    std::string m_key;
    bool m_recording = false;
    Recorder m_recorder;
    bool m_sawNodes = false;
    absl::flat_hash_set<std::string> m_topKeys;

    Snapshot::Node m_node;  ///< the node being read
    absl::flat_hash_set<std::string> m_nodeKeys;
    std::optional<std::string> m_eclass;
    std::size_t m_nodeOffset = 0;
    std::size_t m_ignoredKeys = 0;
    std::string m_firstIgnored;

    absl::flat_hash_map<std::string, NodeName> m_names;
    absl::flat_hash_map<std::string, std::uint32_t> m_classes;
    std::vector<std::pair<std::size_t, std::string>> m_open;  ///< children whose node was not read yet
    std::vector<std::pair<std::string, std::size_t>> m_roots;
    std::vector<ClassEntry> m_entries;
    absl::flat_hash_set<std::string> m_entryIds;
    absl::flat_hash_set<std::string> m_entryKeys;
    LoadedSnapshot m_loaded;
};

}  // namespace

Result<LoadedSnapshot> readJson(const SourceText& source) { return Reader(source).read(); }

}  // namespace mitos::egraph
