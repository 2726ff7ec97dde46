import Foundation
import TestKit

/// Real files. The scripts in their folder generate them.
enum Fixture {
    static func data(_ name: String) throws -> Data { Data(try RealFile.bytes(name)) }
}
