/// A uniform type that Apple's systems declare, copied from Apple's public documentation.
struct Declaration: Sendable {
  let identifier: String
  /// The identifiers of the types to which this type conforms directly.
  let parents: [String]
  /// The filename extensions, the preferred one first.
  let extensions: [String]
  /// The MIME types, the preferred one first.
  let mimeTypes: [String]

  init(_ identifier: String, _ parents: [String], _ extensions: [String] = [], _ mimeTypes: [String] = []) {
    self.identifier = identifier
    self.parents = parents
    self.extensions = extensions
    self.mimeTypes = mimeTypes
  }

  static let table: [Declaration] = [
    Declaration("public.item", []),
    Declaration("public.content", []),
    Declaration("public.composite-content", ["public.content"]),
    Declaration("public.data", ["public.item"]),
    Declaration("public.archive", []),
    // Text.
    Declaration("public.text", ["public.data", "public.content"]),
    Declaration("public.plain-text", ["public.text"], ["txt", "text"], ["text/plain"]),
    Declaration("public.utf8-plain-text", ["public.plain-text"]),
    Declaration("public.rtf", ["public.text"], ["rtf"], ["text/rtf", "application/rtf"]),
    Declaration("public.html", ["public.text"], ["html", "htm"], ["text/html"]),
    Declaration("public.xml", ["public.text"], ["xml"], ["application/xml", "text/xml"]),
    Declaration("public.json", ["public.text"], ["json"], ["application/json"]),
    Declaration("public.delimited-values-text", ["public.text"]),
    Declaration(
      "public.comma-separated-values-text", ["public.delimited-values-text"], ["csv"], ["text/csv"]),
    // Images.
    Declaration("public.image", ["public.data", "public.content"]),
    Declaration("public.jpeg", ["public.image"], ["jpeg", "jpg", "jpe"], ["image/jpeg"]),
    Declaration("public.png", ["public.image"], ["png"], ["image/png"]),
    Declaration("public.tiff", ["public.image"], ["tiff", "tif"], ["image/tiff"]),
    Declaration("public.heif-standard", ["public.image"]),
    Declaration("public.heif", ["public.heif-standard"], ["heif"], ["image/heif"]),
    Declaration("public.heic", ["public.heif-standard"], ["heic"], ["image/heic"]),
    Declaration("org.webmproject.webp", ["public.image"], ["webp"], ["image/webp"]),
    Declaration("com.microsoft.bmp", ["public.image"], ["bmp"], ["image/bmp"]),
    Declaration("com.compuserve.gif", ["public.image"], ["gif"], ["image/gif"]),
    Declaration("public.svg-image", ["public.image"], ["svg"], ["image/svg+xml"]),
    Declaration("com.apple.live-photo", []),
    // Documents.
    Declaration("com.adobe.pdf", ["public.data", "public.composite-content"], ["pdf"], ["application/pdf"]),
    // Audio and video.
    Declaration("public.audiovisual-content", ["public.data", "public.content"]),
    Declaration("public.movie", ["public.audiovisual-content"]),
    Declaration("public.video", ["public.movie"]),
    Declaration("public.mpeg-4", ["public.movie"], ["mp4"], ["video/mp4"]),
    Declaration("com.apple.quicktime-movie", ["public.movie"], ["mov", "qt"], ["video/quicktime"]),
    Declaration("public.audio", ["public.audiovisual-content"]),
    Declaration("public.mp3", ["public.audio"], ["mp3"], ["audio/mpeg"]),
    Declaration("com.microsoft.waveform-audio", ["public.audio"], ["wav"], ["audio/vnd.wave", "audio/wav"]),
    // Archives.
    Declaration("public.zip-archive", ["public.data", "public.archive"], ["zip"], ["application/zip"]),
    Declaration("org.gnu.gnu-zip-archive", ["public.data", "public.archive"], ["gz"], ["application/gzip"]),
  ]

  static let byIdentifier = Dictionary(
    table.map { (UTType.folded($0.identifier), $0) }, uniquingKeysWith: { first, _ in first })
}
