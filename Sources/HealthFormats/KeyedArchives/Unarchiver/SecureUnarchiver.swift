public import Foundation

/// An unarchiver for keyed archives from untrusted sources.
///
/// No input can crash the process, and the archive cannot choose which class to instantiate. Class names are
/// looked up in the caller's table and among a few Foundation classes. Before an object is created, its class
/// is compared with the classes that the decoding code allows. Foundation's own unarchiver, in contrast,
/// looks up any class by name, and crashes the process if it finds an unexpected one.
///
/// The `init(coder:)` of a class must work with any `NSCoder`. It passes the allowed classes for each object,
/// including those of a collection's elements, and returns nil if a required value is missing. After the
/// first error, every value decodes as missing. An unarchiver reads one archive, on one thread.
///
/// The same `init(coder:)` works with `NSKeyedUnarchiver`:
///
/// ```swift
/// guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String?,
///   let date = coder.decodeObject(of: NSDate.self, forKey: "date") as Date?,
///   let beats = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "beats") as? [Double],
///   let labels = coder.decodeObject(of: [NSDictionary.self, NSString.self], forKey: "labels")
///     as? [String: Any]
/// else { return nil }
/// count = coder.decodeInteger(forKey: "count")
/// ```
public final class SecureUnarchiver: NSCoder {
  let archive: KeyedArchive
  let limits: ArchiveLimits
  private let classes: [String: ArchivableClass]

  /// The objects being decoded, outermost first.
  var frames: [Frame] = []
  /// The decoded objects by node index. All references to an object return the same instance.
  var decoded: [Int: DecodedObject] = [:]
  /// The node indices of the objects being decoded. A reference to one of them is a cycle.
  var open: Set<Int> = []
  var knownClasses: [Int: ArchivedClass] = [:]
  /// Total bytes of the decoded strings and data. A string that is referenced several times counts each time.
  var payload = 0
  private var failure: (any Error)?

  private init(archive: KeyedArchive, classes: [String: ArchivableClass], limits: ArchiveLimits) {
    self.archive = archive
    self.classes = classes
    self.limits = limits
  }

  /// Decodes the root object of an archive.
  /// - Parameters:
  ///   - type: The class of the object or one of its superclasses.
  ///   - elements: The allowed classes of the elements if `type` is a collection.
  ///   - data: The archive.
  ///   - classes: The allowed classes, keyed by their names in archives. Several names can map to one class.
  ///     For a name that is not in the table, the superclasses in the archive are tried.
  ///   - limits: The limits for the archive.
  /// - Throws: `ArchiveError`, or the error that a class passed to `failWithError(_:)`.
  public static func unarchive<Root: NSObject & NSSecureCoding>(
    _ type: Root.Type, containing elements: [AnyClass] = [], from data: Data,
    classes: [String: ArchivableClass], limits: ArchiveLimits = ArchiveLimits()
  ) throws -> Root {
    let archive = try KeyedArchive(parsing: data, limits: limits)
    let unarchiver = SecureUnarchiver(archive: archive, classes: classes, limits: limits)
    let root = unarchiver.attempt { () throws(ArchiveError) in
      try unarchiver.object(archive.root, of: [type] + elements)
    }
    if let failure = unarchiver.failure { throw failure }
    guard let root = root as? Root else {
      throw ArchiveError(.malformed("outermost object"), offset: archive.list.offsets[archive.root])
    }
    return root
  }

  func ownClass(_ name: String) -> ArchivableClass? { classes[name] }

  /// Decodes a value, unless an earlier value failed. Records the error if it fails.
  func attempt<Value>(_ decode: () throws(ArchiveError) -> Value?) -> Value? {
    guard failure == nil else { return nil }
    do {
      let value = try decode()
      return failure == nil ? value : nil
    } catch {
      failWithError(error)
      return nil
    }
  }

  private func refuse() {
    failWithError(ArchiveError(.unsupportedDecoding, offset: frames.last?.offset ?? 0))
  }

  // MARK: - Supported decoding

  public override var allowsKeyedCoding: Bool { true }
  public override var requiresSecureCoding: Bool { true }
  public override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
  public override var allowedClasses: [AnyClass]? { frames.last?.allowed }
  public override var error: (any Error)? { failure }

  /// Records the error, unless there is one already. `unarchive(_:containing:from:classes:limits:)` throws
  /// it.
  public override func failWithError(_ error: any Error) {
    if failure == nil { failure = error }
  }

  public override func containsValue(forKey key: String) -> Bool {
    failure == nil && value(forKey: key) != nil
  }

  public override func decodeObject<Decoded: NSObject & NSCoding>(
    of cls: Decoded.Type, forKey key: String
  ) -> Decoded? {
    decodeObject(of: [cls], forKey: key) as? Decoded
  }

  public override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
    guard let classes else {
      refuse()
      return nil
    }
    return attempt { () throws(ArchiveError) in try object(forKey: key, of: classes) }
  }

  public override func decodeBool(forKey key: String) -> Bool { number(forKey: key, \.bool) ?? false }
  public override func decodeInteger(forKey key: String) -> Int { number(forKey: key, \.int) ?? 0 }
  public override func decodeCInt(forKey key: String) -> Int32 { number(forKey: key, \.int32) ?? 0 }
  public override func decodeInt32(forKey key: String) -> Int32 { number(forKey: key, \.int32) ?? 0 }
  public override func decodeInt64(forKey key: String) -> Int64 { number(forKey: key, \.int64) ?? 0 }
  public override func decodeDouble(forKey key: String) -> Double { number(forKey: key, \.real) ?? 0 }
  public override func decodeFloat(forKey key: String) -> Float {
    Float(number(forKey: key, \.real) ?? 0)
  }

  public override func withDecodedUnsafeBytes<Result>(
    forKey key: String, body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    guard let data = attempt({ () throws(ArchiveError) in try bytes(forKey: key) }) else {
      return try body(nil)
    }
    return try data.withUnsafeBytes(body)
  }

  // MARK: - Unsupported decoding, which cannot be checked without a key or a class

  public override func decodeObject(forKey key: String) -> Any? { decodeObject() }
  public override func decodePropertyList(forKey key: String) -> Any? { decodeObject() }
  public override func decodePropertyList() -> Any? { decodeObject() }

  public override func decodeObject() -> Any? {
    refuse()
    return nil
  }

  public override func decodeData() -> Data? {
    refuse()
    return nil
  }

  /// Records an error and leaves the memory at `data` unchanged.
  public override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
    refuse()
  }

  public override func version(forClassName className: String) -> Int { NSNotFound }
}
