// A libFuzzer target for the multipart parser. run.sh compiles it with the parser's own sources into one module.
//
// If the first byte is 0xFF, the rest is a Content-Type. Otherwise the rest is a body. The target parses it once as a whole and once in
// chunks whose sizes derive from the first byte; both parses must give the same result.

/// Small limits, so that the fuzzer reaches each limit with small inputs.
private let limits = MultipartParser.Limits(parts: 3, headerBytes: 200, paddingBytes: 3)
private let boundary = "b="

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    if first == 0xFF {
        checkContentType(rest)
    } else {
        let whole = parse(rest, chunkSeed: nil)
        let chunked = parse(rest, chunkSeed: first)
        require(whole == chunked, "the report depends on the chunks")
    }
    return 0
}

private func checkContentType(_ bytes: [UInt8]) {
    guard let boundary = try? MultipartBoundary.parse(contentType: String(decoding: bytes, as: UTF8.self)) else { return }
    require((1...70).contains(boundary.utf8.count), "length of the boundary")
    require(MultipartParser(boundary: boundary).delimiter.count == boundary.utf8.count + 4, "the boundary is ASCII")
}

/// What the parser reports: the headers and the joined data of each part, and how the body ended.
private struct Report: Equatable {
    var headers: [PartHeaders] = []
    var data: [[UInt8]] = []
    var ended = 0
    var isFinished = false
    var refusal: MultipartError?
}

private func parse(_ body: [UInt8], chunkSeed: UInt8?) -> Report {
    var parser = MultipartParser(boundary: boundary, limits: limits)
    let delimiter = parser.delimiter
    var report = Report()
    var sizes = ChunkSizes(seed: chunkSeed)
    var from = 0
    while from < body.count {
        // Each chunk gets its own allocation, so that the address sanitizer detects a read past either end.
        let chunk = Array(body[from..<min(body.count, from + sizes.next(body.count))])
        from += chunk.count
        let heldBefore = parser.withheldByteCount
        var passed = 0
        do {
            try chunk.withUnsafeBytes { bytes in
                try parser.receive(bytes) { event in
                    report.check(event)
                    switch event {
                    case .data(.input(let range)):
                        require(
                            passed <= range.lowerBound && !range.isEmpty && range.upperBound <= bytes.count, "an input slice is in bounds")
                        passed = range.upperBound
                        report.data[report.data.count - 1] += bytes[range]
                    case .data(.withheld(let range)):
                        require(
                            passed == 0 && range.count == heldBefore && range.upperBound < delimiter.count,
                            "a withheld slice is what was held")
                        report.data[report.data.count - 1] += delimiter[range]
                    case .partBegan, .partEnded, .finished: break
                    }
                }
            }
        } catch {
            report.refusal = error as? MultipartError
            require(report.refusal != nil && !(report.refusal?.message.isEmpty ?? true), "a refusal has a message")
            return report
        }
        require(parser.withheldByteCount < delimiter.count, "less than a delimiter is held back")
    }
    do {
        try parser.finish()
        require(report.isFinished && report.ended == report.headers.count, "an accepted body is whole")
    } catch {
        report.refusal = error as? MultipartError
    }
    return report
}

extension Report {
    /// Each part must report began, data and ended in that order, and no event may follow finished.
    fileprivate mutating func check(_ event: MultipartParser.Event) {
        require(!isFinished, "nothing follows the end")
        switch event {
        case .partBegan(let part):
            require(ended == headers.count && headers.count < limits.parts, "parts do not overlap and are counted")
            require(!part.name.isEmpty && !part.name.utf8.contains(0), "a part has a name")
            require(part.filename?.utf8.contains { $0 < 0x20 || $0 == 0x7F } != true, "a file name holds no control characters")
            headers.append(part)
            data.append([])
        case .data: require(ended == headers.count - 1, "data belongs to a part")
        case .partEnded:
            ended += 1
            require(ended == headers.count, "a part ends once")
        case .finished:
            require(ended == headers.count, "the last part ended")
            isFinished = true
        }
    }
}

/// The sizes of the chunks. Without a seed there is one chunk. With a seed, a linear congruential generator gives sizes of 1...64 bytes.
private struct ChunkSizes {
    private var state: UInt64?
    private let most: UInt64

    init(seed: UInt8?) {
        state = seed.map { UInt64($0) &+ 1 }
        most = 1 + UInt64(seed ?? 0) % 64
    }

    mutating func next(_ whole: Int) -> Int {
        guard let state else { return max(1, whole) }
        let following = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        self.state = following
        return 1 + Int((following >> 33) % most)
    }
}

private func require(_ condition: Bool, _ claim: String) {
    if !condition { fatalError("broken: \(claim)") }
}
