import Glibc
import Unpacking

/// The reason why an export cannot be read completely.
public enum ImportError: Error, Hashable, Sendable {
  /// The file cannot be opened or read.
  case file(errno: Int32)
  /// No file in the archive or directory is an export.
  case noExportInside
  /// Several files in the archive or directory are exports.
  case severalInside
  /// The archive is truncated, damaged, or in an unknown format. The text is libarchive's message.
  case unreadableArchive(String)
  /// The export in the archive is password-protected.
  case encrypted
  /// The file is not the export but the clinical document (`export_cda.xml`) from the same archive.
  case clinicalDocument
  /// The document is in UTF-16.
  case utf16
  /// The root element is not `HealthData`.
  case notAnExport
  /// The file ends before the end tag of the root element.
  case truncated
  /// The user stopped the import while it was waiting for data.
  case cancelled
}

extension ImportError {
  init(_ error: ArchiveError) {
    switch error {
    case .unreadable(let reason): self = .unreadableArchive(reason)
    case .file(let errno): self = .file(errno: errno)
    case .cancelled: self = .cancelled
    }
  }

  static func translating<Value>(
    _ body: () throws(ArchiveError) -> Value
  ) throws(ImportError) -> Value {
    do {
      return try body()
    } catch {
      throw ImportError(error)
    }
  }
}

extension ImportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let errno): systemText(of: errno)
    case .noExportInside:
      "it contains no export of Apple's Health app; use the export.zip that the Health app creates, or the "
        + "export.xml in it"
    case .severalInside:
      "it contains several exports; unpack it, and import each export.xml separately"
    case .unreadableArchive(let reason):
      "the archive cannot be unpacked\(reason.isEmpty ? "" : " (\(reason))"): export the data again, or unpack it "
        + "and import the export.xml in it"
    case .encrypted:
      "the archive is protected by a password: unpack it first, for example with 7z x, and import the export.xml"
    case .clinicalDocument:
      "this is the clinical document of an export, not the export: import the export.xml beside it"
    case .utf16:
      "this document is in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 export.xml > export-utf8.xml"
    case .notAnExport:
      "this is not an export of Apple's Health app: its root is not HealthData. Import the export.zip that the "
        + "Health app creates, or the export.xml in it"
    case .truncated: "the export ends too early; export the data again"
    case .cancelled: "stopped"
    }
  }
}

/// Returns the system's message for an error number.
func systemText(of number: Int32) -> String { String(cString: strerror(number)) }
