extension UTType {
  /// All types in this module's table of known types.
  public static let declared: [UTType] = Declaration.table.map { UTType(importedAs: $0.identifier) }

  /// The base type of anything with a name.
  public static let item = UTType(importedAs: "public.item")
  /// Content that a person can view or listen to.
  public static let content = UTType(importedAs: "public.content")
  /// Content of several kinds, as in a document.
  public static let compositeContent = UTType(importedAs: "public.composite-content")
  /// A stream of bytes.
  public static let data = UTType(importedAs: "public.data")
  /// A file that contains other files, such as a zip archive.
  public static let archive = UTType(importedAs: "public.archive")
  /// Text of any kind.
  public static let text = UTType(importedAs: "public.text")
  /// Text without markup.
  public static let plainText = UTType(importedAs: "public.plain-text")
  /// Text without markup, in UTF-8.
  public static let utf8PlainText = UTType(importedAs: "public.utf8-plain-text")
  /// Rich Text Format.
  public static let rtf = UTType(importedAs: "public.rtf")
  public static let html = UTType(importedAs: "public.html")
  public static let xml = UTType(importedAs: "public.xml")
  public static let json = UTType(importedAs: "public.json")
  /// Text with values separated by delimiters.
  public static let delimitedText = UTType(importedAs: "public.delimited-values-text")
  /// Text with values separated by commas.
  public static let commaSeparatedText = UTType(importedAs: "public.comma-separated-values-text")
  /// An image of any format.
  public static let image = UTType(importedAs: "public.image")
  public static let jpeg = UTType(importedAs: "public.jpeg")
  public static let png = UTType(importedAs: "public.png")
  public static let tiff = UTType(importedAs: "public.tiff")
  public static let heif = UTType(importedAs: "public.heif")
  public static let heic = UTType(importedAs: "public.heic")
  public static let webP = UTType(importedAs: "org.webmproject.webp")
  public static let bmp = UTType(importedAs: "com.microsoft.bmp")
  public static let gif = UTType(importedAs: "com.compuserve.gif")
  public static let svg = UTType(importedAs: "public.svg-image")
  /// A Live Photo: an image with a short video of the moments around it.
  public static let livePhoto = UTType(importedAs: "com.apple.live-photo")
  public static let pdf = UTType(importedAs: "com.adobe.pdf")
  /// Audio, video or both.
  public static let audiovisualContent = UTType(importedAs: "public.audiovisual-content")
  /// Video, possibly with audio.
  public static let movie = UTType(importedAs: "public.movie")
  /// Video without audio.
  public static let video = UTType(importedAs: "public.video")
  public static let mpeg4Movie = UTType(importedAs: "public.mpeg-4")
  public static let quickTimeMovie = UTType(importedAs: "com.apple.quicktime-movie")
  /// Audio.
  public static let audio = UTType(importedAs: "public.audio")
  public static let mp3 = UTType(importedAs: "public.mp3")
  public static let wav = UTType(importedAs: "com.microsoft.waveform-audio")
  public static let zip = UTType(importedAs: "public.zip-archive")
  public static let gzip = UTType(importedAs: "org.gnu.gnu-zip-archive")
}
