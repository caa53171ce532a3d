import COpenSSL

/// Helpers for libcrypto: buffers, DER, and error reasons.
enum Libcrypto {
  /// The text of libcrypto's last error on this thread. It contains no input data.
  static var reason: String {
    defer { ERR_clear_error() }
    // Use the first error in the queue, which caused the others.
    guard let text = ERR_reason_error_string(ERR_get_error()) else { return "no reason" }
    return String(cString: text)
  }

  /// Calls a closure with a memory BIO (libcrypto's buffer object) that reads the bytes.
  static func withBuffer<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    ERR_clear_error()
    return bytes.withUnsafeBytes { bytes in
      let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(buffer) }
      return body(buffer)
    }
  }

  /// Decodes an object from DER with its `d2i_` function. The caller frees the object.
  ///
  /// - Returns: `nil` after an error, or if more bytes follow the object.
  static func object(
    _ bytes: [UInt8], _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
    free: (OpaquePointer?) -> Void
  ) -> OpaquePointer? {
    ERR_clear_error()
    return bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var next: UnsafePointer<UInt8>? = start
      guard let object = read(&next, bytes.count) else { return nil }
      guard next == start + bytes.count else {
        free(object)
        return nil
      }
      return object
    }
  }

  /// Returns the DER that an object's `i2d_` function writes, or `nil` after an error.
  static func bytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
    let count = Int(write(nil))
    guard count > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
      var next = bytes.baseAddress
      written = max(0, Int(write(&next)))
    }
  }

  /// Returns the bytes of an `ASN1_STRING`. They are valid as long as the string exists.
  static func bytes(of text: UnsafePointer<ASN1_STRING>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
  }
}

/// The blocks of a PEM file (RFC 7468), such as a key and its certificate. In files written by openssl, a
/// block with the curve may precede the key.
struct PEMFile {
  private var blocks: [(label: String, bytes: [UInt8])] = []
  /// Libcrypto's reason why no further block could be read.
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

  /// Returns the bytes of the first block with one of the labels.
  func first(_ labels: String...) -> [UInt8]? {
    blocks.first { labels.contains($0.label) }?.bytes
  }

  /// Returns a PEM file with one block.
  static func text(_ label: String, _ bytes: [UInt8]) -> String {
    let buffer = BIO_new(BIO_s_mem())
    defer { BIO_free(buffer) }
    PEM_write_bio(buffer, label, "", bytes, bytes.count)
    var text: UnsafeMutablePointer<CChar>?
    let count = copenssl_written(buffer, &text)
    return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }
}
