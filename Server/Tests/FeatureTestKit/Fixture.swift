import Foundation
import TestKit

/// Real files, made by the tools beside them.
enum Fixture {
    static func data(_ name: String) throws -> Data { Data(try RealFile.bytes(name)) }
}
