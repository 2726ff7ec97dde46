/// A worker's response to a job.
package enum MediaAnswer: Sendable, Equatable {
    /// Sent once, when the worker is sandboxed and ready for its first job.
    case ready
    case facts(ImageFacts)
    case measures(PictureMeasures)
    case film(VideoFacts)
    /// The most samples that the sound may have (channels × rate × seconds), as if each of its frames had the greatest length that a
    /// decoder accepts.
    case sound(most: Int)
    /// The encoded bytes are passed as sealed memory. Width and height are in pixels.
    case variant(width: Int, height: Int)
    /// The copy without metadata is passed as sealed memory.
    case stripped
    case document(DocumentKind)
    /// The text is passed as sealed memory: at most `DocumentLimits.characters` in UTF-8.
    case text
    case refused(MediaRefusal)

    package var frame: FlatJSON {
        switch self {
        case .stripped: return FlatJSON(["answer": .text("stripped")])
        case .document(let kind): return FlatJSON(["answer": .text("document"), "kind": .text(kind.rawValue)])
        case .text: return FlatJSON(["answer": .text("text")])
        case .measures(let measures): return measures.frame
        case .ready: return FlatJSON(["answer": .text("ready")])
        case .refused(let reason): return FlatJSON(["answer": .text("refused"), "reason": .text(reason.rawValue)])
        case .variant(let width, let height):
            return FlatJSON(["answer": .text("variant"), "width": .number(width), "height": .number(height)])
        case .sound(let most): return FlatJSON(["answer": .text("sound"), "most": .number(most)])
        case .film(let facts):
            var frame = FlatJSON(["answer": .text("film"), "sound": .truth(facts.hasSound)])
            frame.members["width"] = facts.width.map(FlatJSON.Value.number)
            frame.members["height"] = facts.height.map(FlatJSON.Value.number)
            frame.members["milliseconds"] = facts.milliseconds.map(FlatJSON.Value.number)
            frame.members["recorded"] = facts.recordedAt.map(FlatJSON.Value.number)
            frame.members["plays"] = facts.playsInBrowsers.map(FlatJSON.Value.truth)
            frame.members["range"] = .number(facts.range.rawValue)
            return frame
        case .facts(let facts):
            var frame = FlatJSON([
                "answer": .text("facts"), "kind": .text(facts.kind.rawValue), "width": .number(facts.width),
                "height": .number(facts.height),
                "frames": .number(facts.frames), "alpha": .truth(facts.hasAlpha), "position": .truth(facts.mayHavePosition),
            ])
            if let time = facts.captureTime {
                frame.members["taken"] = .text(time.local)
                frame.members["offset"] = time.offsetMinutes.map(FlatJSON.Value.number)
                frame.members["fraction"] = .number(time.milliseconds)
            }
            return frame
        }
    }

    /// - Returns: `nil` for a frame that violates the protocol.
    package init?(_ frame: FlatJSON) {
        switch frame.text("answer") {
        case "ready": self = .ready
        case "stripped": self = .stripped
        case "text": self = .text
        case "document":
            guard let kind = frame.text("kind").flatMap(DocumentKind.init) else { return nil }
            self = .document(kind)
        case "measures":
            guard let measures = PictureMeasures(frame) else { return nil }
            self = .measures(measures)
        case "refused":
            guard let reason = frame.text("reason").flatMap(MediaRefusal.init) else { return nil }
            self = .refused(reason)
        case "variant":
            guard let (width, height) = Self.size(frame, atMost: PictureLimits.variantSide) else { return nil }
            self = .variant(width: width, height: height)
        case "facts":
            guard let kind = frame.text("kind").flatMap(PictureKind.init),
                let (width, height) = Self.size(frame, atMost: PictureLimits.side),
                width * height <= PictureLimits.pixels, let frames = frame.number("frames"), (1...PictureLimits.frames).contains(frames),
                let hasAlpha = frame.truth("alpha"), let mayHavePosition = frame.truth("position")
            else { return nil }
            var facts = ImageFacts(
                kind: kind, width: width, height: height, frames: frames, hasAlpha: hasAlpha, mayHavePosition: mayHavePosition)
            if let taken = frame.text("taken") {
                guard
                    let time = CaptureTime(
                        local: taken, offsetMinutes: frame.number("offset"), milliseconds: frame.number("fraction") ?? 0)
                else { return nil }
                facts.captureTime = time
            }
            self = .facts(facts)
        case "sound":
            guard let most = frame.number("most"), (0...AudioLimits.samples).contains(most) else { return nil }
            self = .sound(most: most)
        case "film":
            guard let facts = Self.film(frame) else { return nil }
            self = .film(facts)
        default: return nil
        }
    }

    private static func film(_ frame: FlatJSON) -> VideoFacts? {
        guard let hasSound = frame.truth("sound"),
            let range = frame.number("range").flatMap(VideoFacts.BrightnessRange.init)
        else { return nil }
        var facts = VideoFacts(
            width: nil, height: nil, milliseconds: frame.number("milliseconds"), hasSound: hasSound,
            recordedAt: frame.number("recorded"))
        (facts.playsInBrowsers, facts.range) = (frame.truth("plays"), range)
        if frame.members["width"] != nil || frame.members["height"] != nil {
            guard let (width, height) = size(frame, atMost: VideoFacts.side) else { return nil }
            (facts.width, facts.height) = (width, height)
        }
        guard facts.width != nil || hasSound, (0...VideoFacts.longest).contains(facts.milliseconds ?? 0),
            // Seconds since 1970, until the year 2100.
            (0...4_102_444_800).contains(facts.recordedAt ?? 0)
        else { return nil }
        return facts
    }

    private static func size(_ frame: FlatJSON, atMost side: Int) -> (Int, Int)? {
        guard let width = frame.number("width"), let height = frame.number("height"), (1...side).contains(width),
            (1...side).contains(height)
        else { return nil }
        return (width, height)
    }
}
