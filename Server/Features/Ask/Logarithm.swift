#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

func logarithm(_ value: Double) -> Double { log(value) }
