package import Core

extension Int64: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(exactly: value)
    }
}

extension Double: SQLConvertible {
    package var sqlValue: SQLValue { .real(self) }
    package init?(sqlValue: SQLValue) {
        switch sqlValue {
        case .real(let value): self = value
        case .integer(let value): self = Double(value)
        default: return nil
        }
    }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }
    package init?(sqlValue: SQLValue) {
        guard case .text(let value) = sqlValue else { return nil }
        self = value
    }
}

/// Stored as SMALLINT, 0 or 1.
extension Bool: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue, value == 0 || value == 1 else { return nil }
        self = value == 1
    }
}

extension [UInt8]: SQLConvertible {
    package var sqlValue: SQLValue { .bytes(self) }
    package init?(sqlValue: SQLValue) {
        guard case .bytes(let value) = sqlValue else { return nil }
        self = value
    }
}

/// Stored as BIGINT microseconds.
extension Timestamp: SQLConvertible {
    package var sqlValue: SQLValue { .integer(microseconds) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(microseconds: value)
    }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
    package init?(sqlValue: SQLValue) {
        if case .null = sqlValue {
            self = Self.none
        } else {
            guard let value = Wrapped(sqlValue: sqlValue) else { return nil }
            self = Self.some(value)
        }
    }
}
