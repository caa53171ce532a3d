import CPageFiles

extension PageFiles {
  /// The directory in the URLs of the page's files: `v/` and a hash of all files.
  ///
  /// Browsers may cache files with such URLs forever, because each version of the page has a different
  /// directory. Scripts import each other by relative paths, and therefore from the same directory.
  static let folder = "v/\(hash)/"

  /// The start page. The URLs in it begin with ``folder``.
  ///
  /// Its text is created once and never freed, because a `PageFile` does not own its bytes.
  static let startPage: PageFile? = {
    guard let file = PageFiles().file(at: "/index.html") else { return nil }
    var text = String(decoding: file.bytes, as: UTF8.self)
    for attribute in ["href", "src"] {
      text = text.replacing("\(attribute)=\"/", with: "\(attribute)=\"/\(folder)")
    }
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    return PageFile(mediaType: file.mediaType, bytes: UnsafeBufferPointer(bytes))
  }()

  /// An FNV-1a hash of all files and their names. It only distinguishes versions, and is not
  /// cryptographically secure.
  private static let hash: String = {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    var index = 0
    while let file = CPageFiles_file_at(index)?.pointee {
      add(String(cString: file.name).utf8)
      add(UnsafeBufferPointer(start: file.bytes, count: file.size))
      index += 1
    }
    let text = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }()
}
