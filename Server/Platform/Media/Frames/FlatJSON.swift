/// The JSON of frames: one object whose values are texts, whole numbers and booleans. It has its own parser, because neither side trusts
/// the other, and because Foundation would take most of the worker's memory.
package struct FlatJSON: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
        case truth(Bool)
    }

    package var members: [String: Value]

    package init(_ members: [String: Value] = [:]) { self.members = members }

    package func text(_ key: String) -> String? {
        guard case .text(let value) = members[key] else { return nil }
        return value
    }

    package func number(_ key: String) -> Int? {
        guard case .number(let value) = members[key] else { return nil }
        return value
    }

    package func truth(_ key: String) -> Bool? {
        guard case .truth(let value) = members[key] else { return nil }
        return value
    }

    /// Encodes with sorted keys, so that equal frames have equal bytes.
    package var bytes: [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            Self.append(member.key, to: &result)
            result.append(UInt8(ascii: ":"))
            switch member.value {
            case .text(let text): Self.append(text, to: &result)
            case .number(let number): result += Array(String(number).utf8)
            case .truth(let truth): result += Array((truth ? "true" : "false").utf8)
            }
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
