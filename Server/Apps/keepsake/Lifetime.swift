import ArgumentParser
import Core

/// A duration as text: `90m`, `12h`, `7d`.
struct Lifetime: ExpressibleByArgument, Equatable, CustomStringConvertible {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let unit = argument.last, let count = Int64(argument.dropLast()), 1...1_000_000 ~= count else { return nil }
        switch unit {
        case "m": duration = .minutes(count)
        case "h": duration = .hours(count)
        case "d": duration = .days(count)
        default: return nil
        }
    }

    var description: String {
        let minutes = duration.components.seconds / 60
        if minutes % 1_440 == 0 { return "\(minutes / 1_440)d" }
        return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
    }
}
