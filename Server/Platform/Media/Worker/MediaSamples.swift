internal import MediaFrames

/// A small file of each format, to test whether this machine can decode it.
struct MediaSample {
    let kind: PictureKind
    let base64: String

    init(_ kind: PictureKind, _ base64: String) {
        self.kind = kind
        self.base64 = base64
    }

    static let pictures = [
        MediaSample(
            .jpeg,
            """
            /9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdX\
            VVdfX2RkZHh4c3OMjJGsrM//xACBAAADAQEBAQEAAAAAAAAAAAAEBQYDBwEACAEBAQEBAQAAAAAAAAAAAAAABgQFBwgQAAIBAgMHBAMBAAAAAAAAABEBAAMC\
            IRIx0YGhEzJRIgRBQlLBsRRxEQABAwMDAgUFAQAAAAAAAAABAAIDITERQRJxgQTBsVHwYULhUvGhkf/AABEIADAAQAMBIgACEQADEQD/2gAMAwEAAhEDEQA/\
            AOXebuat/wB9v24ytda1tLsfiB3Ogm1ofMtBbyvL3GLjtNcvIMdchxGYg9xvmfLKZDUUza+M6pK9lHtJp54Nkt51ay5Yjdbsjdep9Rdpdwt2RRdhy0vFptj6\
            l4GEW4511NtP/Q8RMAht9o/z5WCxgbQU/WfsobJUIGIPsB3Ogm6d9NjQh+zMsyuVyx5dXLOIzEHuN8T3MKnavFpth/E3FGOBPIaEm5F/QX4WiGhpyDp7Cysq\
            VXd4vgvzH/NrkH2OloHcgCLKbPMT8m2mF8g8RKArl5BjrkOIzEHuN8gdK7PUD+X4UUkbZDl1Tt15NFzip1OZKa1OpzJSPRaU/wBfPijVrDYEtYbJijjbKQhK\
            g0JUblUtujlrDYEtYbISopb9F7fZc7nhNbKV7IXFbY7lLR+W6CS8gJ/3jAyJ7xnNOKuClrfT1W+nitsc/wAlf6cbds6PS61v/UuIYdO4GwXNoHb2kn18AvxY\
            HGFll1xCn0pqHy3fmeonQNAuffRbkI3PAPz5IG2jUb04rbHH81X68VtlfS61v/Ut4WdGAdUa75xhlDW/iDXkr//Z
            """),
        MediaSample(
            .png,
            """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwAQAAAAH+N3EkAAABQ0lEQVQY0z1QPUsDQRB9u3cxdxjxVGIMCHeISogheKBgocR8KIKFhSBYHVhcn39wIR9YiY1i\
            dyFWVuIPEAI2Fnb+oHVm986BnX0z+2bmzSLEKoApnQ/0MYexPrvfsywaAakFv8jYmaE2g5DZky30JZAWERGhQIE7eKmi2flponzbe0Ii4ECuM21AJ/FAxTYh\
            S4kIiwo+uspKOUyBR+qFgCgrY6eKhZtgF5VucIjtTm8L9ee3OvCN3HgaTnl+mV1Ag3RnynlA25AoN6aspdDCmpI+XpWMUFSiZRyWlQL2FDMTFqj30qXn8d0k\
            DuwYpaPw4TgsNbC0M3VP9t1P2I1wtOndH0AM59YwkV9El1ylfybJBDosbiOX2847O/+683TAoJbx5IXhFCT1MV9t9AgtlTaBT0C8KyNeXhK44qdrCjSnov4A\
            kpRFnhhin5kAAAAASUVORK5CYII=
            """),
        MediaSample(
            .webp,
            """
            UklGRo4BAABXRUJQVlA4TIEBAAAvP8ALAH+gJgAIxowgDK9LbtroQA1FAUA4ZgkJdNDdTxwFuKEokhRnlx8OcIM21CEpXaj5D4D/gR6ILugrruoChsBMrF+Q\
            DoriPzmp2nQFwNH+f2nTK2Tv1CtwhV6BuZMbU5942OqEOReoQGUzqLuwR78Z6/9sSCX6S5BUx4j+O3AbSZGcZT58RKYVx/VRFaqnrX4qRHWBqqnhME8NUfs6\
            pVAGldF0zZ3uTVXVgDTNfXLpZxIG5nhWnm4DxPVyNU7mGLu4rGQ0Wy6IlpQTCEvbop3MbhF7wxHMDS6McBjgefCP6SEM6YCuQ8nJCgwDMFpmXS13cCQ3jgQ8\
            iqAVPIpAVgSt4FEAnJacDNhTHVKAnWoDKwU8uG4emXPbPLfQseJm0BLcOLILZyMnm1JOoEPupSxdSFRsWXmXcgNmmguvArM8Y4P8zNDQCKvuxGvVHWV2Tlmp\
            ssvtMhcOh4N97j/NZNcnvV1dGfyRFzoxfujnetcdt7TyvT63n6pVsP/Ff48QAA==
            """),
        MediaSample(
            .gif,
            """
            R0lGODdhQAAwAPMAAH8A/v0AAAD+AOjGGgAA/vsF9wD//wIAPj0APT0AAAA+ADs8AAE6O/t9AlcVAq2JmywAAAAAQAAwAAAE/hDIKYMNIus9uv9EKI5hYZ6o\
            oa4sRV3YJn/0QN4Eqhdsb0gHBOIQTBgTiqRyuWg6nwyidEoUWq8IhnbLlQyrhyNySX6aF9R0EHvluhnAoVxMLp+daiq7/d56g4B0dUp3TVF5UntWfX4ARQkN\
            kQ0ODkkNHQ0KY4WSDWFEA5EPYYqUl5cKDAsMHX8JDw8OCA0PCQsPkw60C0lnlwMOr7WvDUa0igjECA6wvLgIFsbFR51LkUkOHQ5NkU1EnVORQrqxQpFcnVrR\
            kMXB7NdK8NnA3A0LX+BS4su4srMN6CSpCyCN2aRO2WrB8zVpgEJJkB4qipRwAcIH6yjS0gXxwQCL/pkUMJz3rphHdhPtneyUYEDGadLgWQq5jVI9bwfyfWsw\
            Tpa/c1vSMXgpplq8TE2a3USTU1I4nvzK/QsIdJ3BZRsV9CPHS8G8bU1CBaNlBJexWkKE+UOwlVYSjw6s/ouUoJKCUwNE9gLbZNupWkRa4gKclpK/BLNwfVR1\
            INQ6MYIGiSzEFNEaRYwGQoYsuRdly1WQZR5KcPORzpMLgb68Z/Rj06gpV0aELEvm15tjm7GH03Jt16VNj5Ese/XvNwY0Cx8+qDjo44xwcybu3Lfo28Fhd65O\
            +3r07Lm3f37uvY/0yM3HW8fsJrly4bpVk2f/fTnzOtzzQDcPfjp1+eu1tYadffHdARoD+71x3mniAZgHgvTVt1yBZxhXnoL9oWeHet1FiCGBDRo4n4ASwhdi\
            hSOyARyI/4kYoIoDTniiGRZ66AYMOF4gwww1eIADCTuk4MMKOea4Iwc9dvDjCEGeMCSRRcJwpAZJKrlkCU3y8KQBUUo5pQBV2nBlDlluyWWXFnwJZpVjktmk\
            mWim+WWYbWap5ZNxxjAlnWPaCWecavJ5pZ9b5hkom32WWSigcyI6qKJPRgAAOw==
            """),
        MediaSample(
            .heic,
            """
            AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEA\
            AQAAAAABoQABAAAAAAAAAfsAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/WlwcnAAAADdaXBjbwAAAHZodmND\
            AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAA\
            AAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAA\
            Av////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAgNtZGF0AAAB9ygBrxmAxGefL9LEe67/w0G7rJJ+152q7RvLss9E\
            bKQ7z97i9mePCkPojLRXvoNfu55ffQqopbDS/9ihhc+ZqxJ0LTRrWh78UV2AWaduxae+MtzhmtBccWfGw+VFy1UVOJIFNl1zf99jE/yC1nj/9gHtc2egXYUr\
            PyTyJcHfGn4IoU7aPodolUd364v8IGY3UJbDOYsTtyVte7kj21QAo3ptIeh3A+wSsx2bYPVQQ2KSuQMT7grSFytNJLPrciy7qze3wq3Htv55+fNiudkQnXIY\
            W/AqD0LE7QGVdFwlGPZV03uwxY/VBpwkc8QCvEPkM44iqejDVO60H/YWECy3Xfz2VRw7yX4IjFwvhWUVYHODuzqM4W210iFTorbNHUGpDPcAq0EyBVyMahGV\
            cSIi3RaWnGXa94xbWM52W8AqJegBqUtqyx5gQtNoqRnKLM4DSx3l3dmnJSI1znApdZNdhrGnMSIB30cKlFjf2ddTcV1WsZuODrf74upso8EvpjRhC3bv83+b\
            1tzfdJL5sCvF2AdthxGUwIdv5Ln6cqT8JCFJGv3Ju5v85EHWm8mb5rIRxSXspBp0hsH7Q+1B53+uDRSkO9ySNQEPi14DmFIw4dTPdSzHkdaG6rHbDFlwNrBW\
            JJojiEhPjcE5juWl2/eeCHjFdGcc8Hy0
            """),
    ]

    /// Half a second of silence as WAV: 8,000 samples a second, 8 bits, one channel.
    static let sound: [UInt8] = {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let format = number(1, 2) + number(1, 2) + number(8_000, 4) + number(8_000, 4) + number(1, 2) + number(8, 2)
        let samples = [UInt8](repeating: 128, count: 4_000)
        let head = Array("RIFF".utf8) + number(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
        return head + format + Array("data".utf8) + number(samples.count, 4) + samples
    }()
}
