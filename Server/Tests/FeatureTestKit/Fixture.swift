import Foundation
import TestKit

/// Real files, which the scripts beside them generate.
enum Fixture {
    static func data(_ name: String) throws -> Data { Data(try RealFile.bytes(name)) }
}
