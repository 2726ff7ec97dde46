// A libFuzzer target for the parsers that find positions in pictures and remove metadata. run.sh compiles it with the parsers' sources.
//
// The first byte chooses the format; the rest is the file. Whatever the file contains, the parsers must not read outside it, and the copy
// that they make without metadata must have no position and no metadata.

import MediaFrames

private let kinds = PictureKind.allCases

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPicture(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let kind = kinds[Int(start[0]) % kinds.count]
    // The file gets its own allocation, so that the address sanitizer detects a read past either end.
    let file = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    file.withUnsafeBytes { bytes in
        _ = kind.mayHavePosition(bytes)
        _ = EXIF(bytes)
        for orientation in [1, 6] {
            guard let stripped = try? kind.strip(bytes, orientation: orientation) else { continue }
            stripped.withUnsafeBytes { copy in
                require(!kind.mayHavePosition(copy), "the copy has a position")
                // A copy keeps only its orientation, so a copy of the copy must equal it.
                require((try? kind.strip(copy, orientation: orientation)) == stripped, "the copy has metadata")
            }
        }
    }
    return 0
}

private func require(_ condition: Bool, _ message: String) {
    guard condition else { fatalError(message) }
}
