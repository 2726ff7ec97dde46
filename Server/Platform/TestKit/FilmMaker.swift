package import Foundation
import Synchronization

/// Makes small films with ffmpeg 5, with any codec that ffmpeg has.
package enum FilmMaker {
    /// - Parameters:
    ///   - path: where to write the film.
    ///   - arguments: the length and the codecs; ffmpeg's arguments between the inputs and the output.
    ///   - size: width and height of the test picture.
    ///   - isLying: whether the metadata tells players to rotate the pictures by 90 degrees.
    /// - Returns: a film with a sine and with metadata: a position in Berlin, and a camera's name.
    package static func make(_ path: String, _ arguments: String, size: String = "320x180", isLying: Bool = false) throws -> Data {
        let upright = isLying ? path + ".upright.mov" : path
        try make([(path: upright, arguments: arguments)], size: size)
        if isLying {
            try Tool.run(
                "ffmpeg", ["-v", "error", "-y", "-i", upright] + metadata + ["-c", "copy", "-metadata:s:v", "rotate=90", path])
        }
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Makes several films. One run of ffmpeg makes them all, because starting ffmpeg takes longer than making a small film.
    package static func make(_ films: [(path: String, arguments: String)], size: String) throws {
        let inputs = "-v error -y -f lavfi -i testsrc2=size=\(size):rate=30 -f lavfi -i sine=sample_rate=48000"
        try Tool.run("ffmpeg", words(inputs) + films.flatMap { metadata + quiet(words($0.arguments)) + [$0.path] })
    }

    private static let metadata = [
        "-metadata", "location=+52.5163+013.3777/", "-metadata", "model=Ada's phone", "-movflags", "+use_metadata_tags",
    ]

    /// The films of `hevc` and `long` that a test made before.
    private static let made = Mutex<[String: Data]>([:])

    /// HEVC, which most browsers do not play. Tests share films of the same length and size.
    /// - Parameter seconds: 1 takes about half a second to make.
    package static func hevc(_ path: String, seconds: Double = 0.5, size: String = "320x180") throws -> Data {
        // The lock blocks other tests that need a film until this one is made, because several encoders would only share the processors.
        let film = try made.withLock { made throws -> Data in
            let name = "\(seconds) \(size)"
            let film = try made[name] ?? make(path, "-t \(seconds) -c:v libx265 -preset ultrafast -tag:v hvc1 -c:a aac", size: size)
            made[name] = film
            return film
        }
        try film.write(to: URL(filePath: path))
        return film
    }

    /// 4 s of Motion JPEG, which browsers do not play. It takes long to convert but not to make. Tests share it.
    package static func long() throws -> Data {
        try made.withLock { made throws -> Data in
            if let film = made["long"] { return film }
            let folder = try TemporaryFolder()
            let film = try make(folder.path + "/film.mov", "-t 4 -c:v mjpeg -an", size: "960x540")
            made["long"] = film
            return film
        }
    }

    /// Copies of the film, each with another box at its end, which players skip. So their bytes differ.
    package static func copies(of film: Data, _ count: Int) -> [Data] {
        (1...count).map { number -> Data in
            var copy = film
            copy.append(Data([0, 0, 0, UInt8(8 + number)]))
            copy.append(Data("free".utf8))
            copy.append(Data(count: number))
            return copy
        }
    }

    /// A film whose index is intact, and whose pictures and sound are all ones.
    package static func damaged(_ film: Data) throws -> Data {
        guard let start = film.range(of: Data("mdat".utf8))?.upperBound, let end = film.range(of: Data("moov".utf8))?.lowerBound,
            start < end
        else { throw Tool.Failed(description: "the index is not the last box") }
        return film[..<start] + Data(repeating: 0xFF, count: end - 4 - start) + film[(end - 4)...]
    }

    /// Describes a film with ffprobe: in the result, `video` is "h264 High yuv420p 320 180 30/1", `audio` "aac LC 2", `colours` "bt709
    /// bt709".
    /// - Parameter folder: where it may write the file.
    package static func probe(_ film: Data, in folder: String) throws -> [String: String] {
        let path = folder + "/probed.mp4"
        try film.write(to: URL(filePath: path))
        let names = ["codec_type", "codec_name", "profile", "pix_fmt", "width", "height", "r_frame_rate", "channels"]
        let text = try Tool.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=\((names + ["color_transfer", "color_space"]).joined(separator: ","))"]
                + ["-of", "flat", path])
        // Lines such as streams.stream.0.codec_name="h264".
        var streams: [String: [String: String]] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            let keys = parts[0].split(separator: ".")
            guard parts.count == 2, keys.count == 4 else { continue }
            streams[String(keys[2]), default: [:]][String(keys[3])] = String(parts[1].filter { $0 != "\"" })
        }
        func entries(_ type: String, _ names: [String]) -> String {
            let first = streams.filter { $0.value["codec_type"] == type }.min { $0.key < $1.key }?.value ?? [:]
            return names.compactMap { first[$0] }.joined(separator: " ")
        }
        return [
            "video": entries("video", ["codec_name", "profile", "pix_fmt", "width", "height", "r_frame_rate"]),
            "audio": entries("audio", ["codec_name", "profile", "channels"]),
            "colours": entries("video", ["color_transfer", "color_space"]),
        ]
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// Adds an option that silences x265, which ignores ffmpeg's `-v`.
    private static func quiet(_ arguments: [String]) -> [String] {
        arguments.contains("libx265") ? arguments + ["-x265-params", "log-level=none"] : arguments
    }
}
