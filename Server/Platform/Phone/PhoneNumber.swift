internal import Core

/// Phone numbers in E.164, for example `+14155550123`, read by Google's libphonenumber. The library is loaded at the first call of the
/// process (about 15 ms) and stays loaded. Several tasks may call it at the same time. A call takes about 30 µs, and many times longer for
/// hostile texts. Read the many numbers of a request with `NumberReader`.
package enum PhoneNumber {
    /// The longest text that is read, in Unicode scalars. Numbers with their country, brackets and an extension are shorter. The library's
    /// own limit is 250 bytes, and for hostile texts of that length it takes milliseconds.
    static let maxLength = 40
    /// E.164 allows 15 digits.
    private static let maxDigitCount = 15

    /// Reads spaces, brackets, dots and dashes, `00` before a country code, letters as on a telephone's keys, and digits of any script.
    /// Drops an extension.
    /// - Parameters:
    ///   - text: as people write it: `(415) 555-0123`, `0044 20 7946 0958`, `+41 44 668 18 00`. A text of more than 40 Unicode scalars is
    ///     no number.
    ///   - region: the country in whose form a number without a country code is read, as two capital letters (ISO 3166-1); `nil` when it is
    ///     unknown. Such a number is then not valid.
    /// - Returns: the number in E.164; `nil` when the text is not a possible phone number: its country code does not exist, or its length
    ///   does not fit the country.
    /// - Throws: `.unavailable` when the library cannot be loaded.
    package static func e164(_ text: String, region: String?) throws -> String? {
        guard isReadable(text) else { return nil }
        // ZZ is the library's name for an unknown country.
        let region = region.flatMap { isRegion($0) ? $0 : nil } ?? "ZZ"
        guard let number = try library().e164(text, region), number.utf8.count <= 1 + maxDigitCount else { return nil }
        return number
    }

    /// - Parameter number: in E.164.
    /// - Returns: the country as two capital letters (ISO 3166-1); `nil` when the number belongs to none. A number that fits no country's
    ///   numbering plan belongs to the main country of its country code.
    /// - Throws: `.unavailable` when the library cannot be loaded.
    package static func region(of number: String) throws -> String? {
        guard isReadable(number) else { return nil }
        return try library().region(number)
    }

    // MARK: Operation

    /// The path of the library. The server does not start without this file, although it loads the library only when it reads a number.
    package static var libraryPath: String { PhoneLibrary.path }

    /// Loads the library and reads a number.
    /// - Returns: what works, as text for the operator.
    /// - Throws: an error that says why the library does not work on this machine.
    package static func probe() throws -> String {
        let before = PrivateMemory.byteCount
        let library = try PhoneLibrary.shared.get()
        guard library.e164("044 668 18 00", "CH") == "+41446681800", library.region("+41446681800") == "CH" else {
            throw PhoneLibrary.Fault(description: "\(PhoneLibrary.path) does not read 044 668 18 00")
        }
        guard let before, let after = PrivateMemory.byteCount else { return "libphonenumber reads numbers" }
        return "libphonenumber reads numbers; the first one took \(SizeText.rounded(Int64(after - before))) of memory"
    }

    private static func library() throws -> PhoneLibrary {
        do {
            return try PhoneLibrary.shared.get()
        } catch {
            throw Problem(.unavailable, "This server cannot read phone numbers; its operator must repair its installation.")
        }
    }

    private static func isReadable(_ text: String) -> Bool {
        // Check the bytes first: counting the scalars of a megabyte would take longer than reading a number.
        (1...maxLength * 4).contains(text.utf8.count) && text.unicodeScalars.count <= maxLength && !text.utf8.contains(0)
    }

    private static func isRegion(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
