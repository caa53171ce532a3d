import CPageFiles

extension PageFiles {
  /// The folder of the page's files in addresses: `v/`, and a hash of all files.
  ///
  /// A browser keeps files below it. Imports between scripts are relative, so that they stay below it, and
  /// another version of the page has another folder.
  static let folder = "v/\(hash)/"

  /// The start page, with addresses below ``folder``.
  ///
  /// The bytes are never freed, like those of the other files.
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

  /// FNV-1a of all files and their names. It distinguishes versions, and protects against nothing.
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
