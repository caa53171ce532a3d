internal import Foundation

extension SecureUnarchiver {
  /// Makes a Foundation value from the frame on top, without asking Foundation to read the archive.
  func foundationObject(_ known: FoundationClass, _ node: Int) throws(ArchiveError) -> DecodedObject {
    if known.isCollection { return try collection(known, node) }
    guard let object = try value(known, node) else { throw error(.refused(known.rawValue), node) }
    return DecodedObject(
      object: object, name: known.rawValue, classes: [known.type], visits: frames.last?.visits ?? 1)
  }

  private func value(_ known: FoundationClass, _ node: Int) throws(ArchiveError) -> NSObject? {
    switch known {
    case .string: try string().map { NSString(string: $0) }
    case .mutableString: try string().map { NSMutableString(string: $0) }
    case .data: try data().map { NSData(data: $0) }
    case .mutableData: try data().map { NSMutableData(data: $0) }
    case .date:
      try requiredNumber(forKey: "NS.time", \.real).map { seconds throws(ArchiveError) in
        try date(seconds, node)
      }
    case .uuid: try uuid()
    case .url: try url()
    case .null: NSNull()
    case .dateInterval: try dateInterval()
    case .dateComponents: try dateComponents()
    case .timeZone: try timeZone()
    case .calendar: try calendar()
    case .locale: try locale()
    default: nil
    }
  }

  private func string() throws(ArchiveError) -> String? {
    if let text = try text(forKey: "NS.string") { return text }
    return try bytes(forKey: "NS.bytes").flatMap { String(validating: $0, as: UTF8.self) }
  }

  private func data() throws(ArchiveError) -> Data? {
    if let data = try bytes(forKey: "NS.data") { return data }
    return try bytes(forKey: "NS.bytes")
  }

  private func uuid() throws(ArchiveError) -> NSUUID? {
    guard let bytes = try bytes(forKey: "NS.uuidbytes").map([UInt8].init), bytes.count == 16 else {
      return nil
    }
    return NSUUID(uuidBytes: bytes)
  }

  /// `NSURL` takes more than `URL` does, and turning the one into the other traps on the difference.
  private func url() throws(ArchiveError) -> NSURL? {
    let base = try object(forKey: "NS.base", of: [NSURL.self], as: NSURL.self)
    guard let relative = try text(forKey: "NS.relative"),
      let url = URL(string: relative, relativeTo: base as URL?),
      let archived = NSURL(string: relative, relativeTo: base as URL?),
      URL(string: archived.relativeString, relativeTo: base as URL?) == url,
      URL(string: archived.absoluteString) != nil
    else { return nil }
    return archived
  }

  /// An interval that ends before it begins would trap.
  private func dateInterval() throws(ArchiveError) -> NSDateInterval? {
    guard let start = try object(forKey: "NS.startDate", of: [NSDate.self], as: NSDate.self) else {
      return nil
    }
    let end = try object(forKey: "NS.endDate", of: [NSDate.self], as: NSDate.self)
    let duration = try requiredNumber(forKey: "NS.duration", \.real) ?? end?.timeIntervalSince(start as Date)
    guard let duration, duration.isFinite, duration >= 0 else { return nil }
    return NSDateInterval(start: start as Date, duration: duration)
  }
}
