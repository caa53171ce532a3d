import SwiftASN1

/// The text of a PEM file (RFC 7468), which may hold more than is asked for: openssl writes a key's curve
/// before the key, and some keep key and certificate in one file.
struct PEMFile {
  private let documents: [PEMDocument]

  init(_ text: String) throws(SignatureError) {
    do {
      documents = try PEMDocument.parseMultiple(pemString: text)
    } catch {
      throw SignatureError(.unreadableKey, "no PEM file")
    }
  }

  /// The octets of the first document with one of these labels.
  func first(_ labels: String...) -> [UInt8]? {
    documents.first { labels.contains($0.discriminator) }?.derBytes
  }
}
