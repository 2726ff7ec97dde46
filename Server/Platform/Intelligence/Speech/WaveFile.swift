/// Encodes speech as a file: RIFF WAVE, PCM (Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0").
enum WaveFile {
    static func bytes(_ speech: Speech) -> [UInt8] { header(speech) + speech.samples }

    /// The bytes before the samples.
    static func header(_ speech: Speech) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let format =
            number(1, 2) + number(1, 2) + number(Speech.rate, 4) + number(2 * Speech.rate, 4) + number(2, 2) + number(16, 2)
        return Array("RIFF".utf8) + number(36 + speech.samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + format
            + Array("data".utf8) + number(speech.samples.count, 4)
    }
}
