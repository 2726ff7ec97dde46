package import Foundation

/// Makes synthetic speech, and measures how well it was transcribed.
package enum Voice {
    /// 16 kHz mono WAV, in flite's voice `rms`.
    package static func say(_ text: String) throws -> Data {
        let folder = try TemporaryFolder()
        let path = folder.path + "/speech.wav"
        try Tool.run("flite", ["-voice", "rms", "-t", text, "-o", path])
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Substituted, missing and extra words, divided by the number of words said; 0 means that all are right.
    package static func wordErrorRate(said: String, heard: String) -> Double {
        let (said, heard) = (words(said), words(heard))
        var row = Array(0...heard.count)
        for (index, word) in said.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in heard.indices {
                let cost = min(diagonal + (heard[column] == word ? 0 : 1), row[column] + 1, row[column + 1] + 1)
                diagonal = row[column + 1]
                row[column + 1] = cost
            }
        }
        return Double(row[heard.count]) / Double(max(1, said.count))
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
    }

    /// About 8 seconds long.
    package static let short =
        "We went to the lake on Saturday morning and the water was cold. My sister made a fire and we told stories until the sun came up."

    /// Longer than half a minute, so that it is transcribed in several segments.
    package static let long = """
        We went to the lake on Saturday morning and the water was cold. My sister made a fire and we told stories until the sun came up. \
        The garden was full of yellow flowers. My brother plays the piano every evening. In the summer we drove to the mountains with our \
        friends. There was a small village with an old church and a market. I bought bread and apples and a bottle of milk. The children \
        were playing football in the street. At night we could see thousands of stars. I want to remember this day for the rest of my life.
        """
}
