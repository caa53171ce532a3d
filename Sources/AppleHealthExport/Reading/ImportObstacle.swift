/// Why an export cannot be read at all, or not to its end.
public enum ImportObstacle: Error, Hashable, Sendable {
  /// The file cannot be opened or read.
  case file(errno: Int32)
  /// The archive holds no file that is the XML of an export, as far as names tell.
  case noExportInside
  /// The archive holds several.
  case severalInside(Int)
  /// A zip is to be read, and `unzip` is not installed.
  case noUnzip
  /// The archive is cut or damaged.
  case damagedArchive
  /// The root is not `HealthData`.
  case notAnExport
  /// The document ends before its root does.
  case truncated
}

extension ImportObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let errno): systemText(of: errno)
    case .noExportInside:
      "this archive holds no XML of an export; give the export.zip of the Health app, or the export.xml in it"
    case .severalInside(let count):
      "this archive holds \(count) XML files; unpack it, and give the one of the export"
    case .noUnzip:
      "this export is packed, and unzip is not installed: install the package unzip, or unpack the export elsewhere"
    case .damagedArchive: "the archive is cut or damaged; export the data once more"
    case .notAnExport: "this is no export of Apple's Health app: its root is not HealthData"
    case .truncated: "the export ends too early; export the data once more"
    }
  }
}
