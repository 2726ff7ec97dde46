internal import Core

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The functions of `Platform/CPhone`, which SwiftPM builds as a separate library beside the program. If the program linked libphonenumber,
/// it would load that library, ICU and Protobuf at its start. Most servers run for a long time before somebody sends a phone number.
struct PhoneLibrary: Sendable {
    /// The type of `keepsake_phone_e164` in CPhone/include/cphone.h.
    private typealias ReadNumber =
        @convention(c) @Sendable (UnsafePointer<CChar>, Int, UnsafePointer<CChar>, UnsafeMutablePointer<CChar>, Int) -> Int
    /// The type of `keepsake_phone_region` in the same file.
    private typealias ReadRegion = @convention(c) @Sendable (UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>, Int) -> Int

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// The library in the folder of the running program.
    static var path: String {
        #if canImport(Darwin)
            ProgramPath.folder + "/libkeepsake-phone.dylib"
        #else
            ProgramPath.folder + "/libkeepsake-phone.so"
        #endif
    }

    /// The library, loaded at the first use. A failure lasts until the program starts again.
    static let shared = Result { try PhoneLibrary(path: path) }

    private let readNumber: ReadNumber
    private let readRegion: ReadRegion

    /// - Throws: `Fault`, which names the file and what it lacks.
    init(path: String) throws {
        // RTLD_NOW makes a missing function fail here and not in a later call. RTLD_LOCAL hides the library's symbols from others.
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let cause = dlerror().map { String(cString: $0) } ?? path
            throw Fault(description: "the library for phone numbers cannot be loaded; it needs Debian's libphonenumber8: \(cause)")
        }
        func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
            guard let symbol = dlsym(handle, name) else {
                throw Fault(description: "\(path) has no \(name); it belongs to another version of this program")
            }
            return symbol
        }
        readNumber = unsafeBitCast(try symbol("keepsake_phone_e164"), to: ReadNumber.self)
        readRegion = unsafeBitCast(try symbol("keepsake_phone_region"), to: ReadRegion.self)
    }

    /// - Parameters:
    ///   - text: without NUL.
    ///   - region: two capital letters.
    func e164(_ text: String, _ region: String) -> String? {
        written { out, capacity in
            var text = text
            return text.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    region.withCString { region in text.baseAddress.map { readNumber($0, text.count, region, out, capacity) } ?? -1 }
                }
            }
        }
    }

    /// - Parameter text: a number in E.164.
    func region(_ text: String) -> String? {
        written { out, capacity in
            var text = text
            return text.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readRegion($0, text.count, out, capacity) } ?? -1
                }
            }
        }
    }

    /// - Parameter write: gets a buffer and its capacity in bytes; returns how many bytes it has written, or -1.
    private func written(_ write: (UnsafeMutablePointer<CChar>, Int) -> Int) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { out in
            guard let start = out.baseAddress else { return nil }
            let count = write(start, out.count)
            guard (0...out.count).contains(count) else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
