import COpenSSL

/// The blocks of a PEM file (RFC 7468). A file may hold more than is asked for: openssl writes a key's curve
/// before the key, and some people keep key and certificate in one file.
struct PEMFile {
  private var blocks: [(label: String, bytes: [UInt8])] = []
  /// Why no further block was read, in libcrypto's words.
  private(set) var end = ""

  init(_ text: String) {
    (blocks, end) = Libcrypto.withBuffer(Array(text.utf8)) { buffer in
      var blocks: [(String, [UInt8])] = []
      var label: UnsafeMutablePointer<CChar>?
      var header: UnsafeMutablePointer<CChar>?
      var content: UnsafeMutablePointer<UInt8>?
      var count = 0
      while PEM_read_bio(buffer, &label, &header, &content, &count) == 1 {
        if let label {
          blocks.append((String(cString: label), Array(UnsafeBufferPointer(start: content, count: count))))
        }
        copenssl_free(label)
        copenssl_free(header)
        copenssl_free(content)
      }
      return (blocks, Libcrypto.reason)
    }
  }

  /// The bytes of the first block with one of these labels.
  func first(_ labels: String...) -> [UInt8]? {
    blocks.first { labels.contains($0.label) }?.bytes
  }

  /// The text of a file with one block.
  static func text(_ label: String, _ bytes: [UInt8]) -> String {
    let buffer = BIO_new(BIO_s_mem())
    defer { BIO_free(buffer) }
    PEM_write_bio(buffer, label, "", bytes, bytes.count)
    var text: UnsafeMutablePointer<CChar>?
    let count = copenssl_written(buffer, &text)
    return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }
}
