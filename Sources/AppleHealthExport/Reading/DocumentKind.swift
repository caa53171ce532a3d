/// The kind of a document, recognized by its first bytes.
enum DocumentKind: Hashable {
  case export
  /// `export_cda.xml`, the clinical document that the Health app writes alongside the export.
  case clinicalDocument
  case utf16
  case other

  /// Number of bytes that are examined. If the root element begins later, `ElementReader` checks it.
  static let lookAhead = 4096

  init(_ start: some Collection<UInt8>) {
    let utf16: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0x00], [0x00, 0x3C]]
    let text = String(decoding: start.prefix(Self.lookAhead), as: UTF8.self)
    if utf16.contains(where: { start.starts(with: $0) }) {
      self = .utf16
    } else if text.contains("<HealthData") || text.contains("<!DOCTYPE HealthData") {
      self = .export
    } else if text.contains("ClinicalDocument") {
      self = .clinicalDocument
    } else {
      self = .other
    }
  }
}
