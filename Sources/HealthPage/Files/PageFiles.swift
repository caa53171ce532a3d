import CPageFiles

/// The files of the page (HTML, style sheets, scripts, images), which are embedded in the executable.
struct PageFiles: Sendable {
  /// The files by their paths in Sources/HealthPage/Page, such as `charts/scale.js`.
  private let files: [String: PageFile]

  init() {
    var files: [String: PageFile] = [:]
    var index = 0
    while let file = CPageFiles_file_at(index)?.pointee {
      let name = String(cString: file.name)
      if let type = MediaType.ofFile(named: name) {
        files[name] = PageFile(
          mediaType: type, bytes: UnsafeBufferPointer(start: file.bytes, count: file.size))
      }
      index += 1
    }
    self.files = files
  }

  /// Returns a file.
  /// - Parameter path: The path of the request, such as `/app.js`. It must be exactly the name of an embedded
  ///   file: nothing is decoded or read from the disk.
  func file(at path: String) -> PageFile? {
    if path == "/" { return Self.startPage }
    let name = path.dropFirst()
    guard name.hasPrefix(Self.folder) else { return files[String(name)] }
    var file = files[String(name.dropFirst(Self.folder.count))]
    file?.isImmutable = true
    return file
  }

  var names: Set<String> { Set(files.keys) }
}

// @unchecked: the bytes are constants in the executable.
struct PageFile: @unchecked Sendable {
  let mediaType: String
  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether the file's URL contains a hash of its content, so that browsers may cache it forever.
  var isImmutable = false
}

enum MediaType {
  /// The media type of a file.
  /// - Returns: `nil` for a type that the page does not use.
  static func ofFile(named name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    case "txt": "text/plain; charset=utf-8"
    default: nil
    }
  }
}
