/// The media type of each `ftyp` brand: those registered at mp4ra.org and those that phones, cameras, messengers and ffmpeg write.
enum ISOMediaBrands {
    /// The major brand decides if it is known, otherwise the first known compatible brand: by 14496-12 §4.3.1 a reader may read a file that
    /// names a brand it knows.
    ///
    /// - Parameter brands: the major brand, then the compatible ones in their order.
    static func type(of brands: [FourCC]) -> MediaType? {
        guard let major = brands.first, !refused.contains(major), !isThirdGeneration(major) else { return nil }
        for brand in brands {
            if hevcPictures.contains(brand) { return .heic }
            if pictures.contains(brand) { return picture(brands) }
            if brand == "qt  " { return .mov }
            if sounds.contains(brand) { return .m4a }
            if films.contains(brand) { return .mp4 }
        }
        return nil
    }

    /// `mif1` and `msf1` mean "a HEIF file" and do not name the codec; the other brands do.
    private static func picture(_ brands: [FourCC]) -> MediaType? {
        if brands.contains(where: hevcPictures.contains) { return .heic }
        if brands.contains("avif") || brands.contains("avis") { return nil }
        return .heif
    }

    /// 23008-12 Annex B: HEVC pictures (heic, heix; layered heim, heis) and sequences (hevc, hevx; layered hevm, hevs).
    private static let hevcPictures: Set<FourCC> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]

    private static let pictures: Set<FourCC> = ["mif1", "msf1"]

    private static let sounds: Set<FourCC> = ["M4A ", "M4B "]

    private static let films: Set<FourCC> = [
        // ISO base media, every edition; MP4 version 1 and 2; H.264 in MP4
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "mp41", "mp42", "mp71", "avc1",
        // Apple
        "M4V ", "M4VH", "M4VP",
        // Fragmented: DASH, CMAF, HLS (what browsers record)
        "dash", "msdh", "cmfc", "cmf2", "hlsf",
        // Sony (PSP, XAVC cameras), Panasonic, Nero, Dolby
        "MSNV", "XAVC", "pana", "NDSC", "NDSH", "NDSM", "NDSP", "NDSS", "NDXC", "NDXH", "NDXM", "NDXP", "NDXS", "dby1",
    ]

    /// As major brands these denote other formats, even though most list a brand above as compatible: AVIF, Canon's raw pictures, JPEG
    /// 2000, JPEG XL, and copy-protected videos and books.
    private static let refused: Set<FourCC> = [
        "avif", "avis", "crx ", "jp2 ", "jpx ", "jpm ", "mjp2", "mj2s", "jxl ", "M4P ", "aax ", "aaxc",
    ]

    /// Whether the brand is one of 3GPP or 3GPP2 (`3gp4`, `3g2a` …). Files with such a major brand are not accepted.
    private static func isThirdGeneration(_ brand: FourCC) -> Bool {
        brand.code >> 8 == FourCC("3gp ").code >> 8 || brand.code >> 8 == FourCC("3g2 ").code >> 8
            || ["3gr6", "3gs6", "3ge6", "3gg6", "3gm9"].contains(brand)
    }
}
