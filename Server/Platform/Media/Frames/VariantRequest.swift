/// A smaller copy of a picture: upright, sRGB, without any metadata, never larger than the picture.
package struct VariantRequest: Sendable, Equatable, Hashable {
    package enum Fit: String, Sendable, CaseIterable {
        /// The whole picture, within the box.
        case contain
        /// The center of the picture fills the box. A picture smaller than the box gives the largest crop with the box's aspect ratio.
        case cover
    }

    package enum Format: String, Sendable, CaseIterable {
        case jpeg, webp, avif
    }

    /// Pixels, 1...8192.
    package var width: Int
    /// Pixels, 1...8192.
    package var height: Int
    package var fit: Fit
    package var format: Format
    /// 1...100.
    package var quality: Int

    package init(width: Int, height: Int, fit: Fit = .contain, format: Format, quality: Int = 80) {
        self.width = width
        self.height = height
        self.fit = fit
        self.format = format
        self.quality = quality
    }

    package var isValid: Bool {
        (1...PictureLimits.variantSide).contains(width) && (1...PictureLimits.variantSide).contains(height) && (1...100).contains(quality)
    }

    /// The size of the box for a picture of this size, in pixels; never larger than the picture.
    package func box(forWidth pictureWidth: Int, height pictureHeight: Int) -> (width: Int, height: Int) {
        switch fit {
        case .contain:
            return (min(width, pictureWidth), min(height, pictureHeight))
        case .cover:
            let scale = min(1, Double(pictureWidth) / Double(width), Double(pictureHeight) / Double(height))
            return (max(1, Int((Double(width) * scale).rounded())), max(1, Int((Double(height) * scale).rounded())))
        }
    }
}
