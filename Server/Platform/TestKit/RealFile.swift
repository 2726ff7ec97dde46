package import Foundation

/// A real file of each type, for the upload tests.
package enum RealFile {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Tests/Fixtures").standardized

    package static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    /// A baseline JPEG of 97 megapixels, made once. It is within the limits, and each smaller copy of it takes most of a second.
    package static func large() throws -> [UInt8] { try largeOnce.get() }

    private static let largeOnce = Result {
        let folder = try TemporaryFolder()
        try Tool.run("vips", ["resize", Self.folder.path + "/photo.jpg", "\(folder.path)/a.v", "17.8"])
        try Tool.run("vips", ["jpegsave", "\(folder.path)/a.v", "\(folder.path)/a.jpg", "--Q", "60", "--strip"])
        return [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/a.jpg")))
    }
}
