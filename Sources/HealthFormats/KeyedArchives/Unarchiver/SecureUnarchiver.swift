public import Foundation

/// Reads keyed archives that may come from anywhere.
///
/// No input ends the process, and no class comes from the input: the names in an archive are looked up in the
/// caller's table and among a few Foundation values, and what is found is compared with what the decoding
/// class expects before anything is made. Foundation's own unarchiver looks for classes by name and ends the
/// process when one is unexpected.
///
/// A class's `init(coder:)` sees an `NSCoder` and need not know which: it names the classes of each object it
/// decodes, including those of a collection's elements, and returns nil when something that it needs is
/// absent. The first error decides; from then on everything decodes as absent. One unarchiver reads one
/// archive, on one thread.
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
  /// What has been decoded, by node: an object that is referred to twice is one object.
  var decoded: [Int: DecodedObject] = [:]
  /// The nodes of `frames`, to notice a cycle.
  var open: Set<Int> = []
  var knownClasses: [Int: ArchivedClass] = [:]
  /// Bytes of strings and data handed out, which a small file can hold once and refer to often.
  var payload = 0
  private var failure: (any Error)?

  private init(archive: KeyedArchive, classes: [String: ArchivableClass], limits: ArchiveLimits) {
    self.archive = archive
    self.classes = classes
    self.limits = limits
  }

  /// Reads the outermost object of an archive.
  /// - Parameters:
  ///   - type: The class that the object must have or inherit from.
  ///   - elements: If `type` is a collection, the classes that may stand in it.
  ///   - classes: The classes that objects may have, by their names in archives; several names may lead to
  ///     one class. Where a name is absent, the next of the names that the archive gives as its ancestors
  ///     counts.
  /// - Throws: `ArchiveError`, or what a class gave to `failWithError(_:)`.
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

  /// Decodes unless something has failed before, and notes what fails.
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

  // MARK: - What an init(coder:) may ask

  public override var allowsKeyedCoding: Bool { true }
  public override var requiresSecureCoding: Bool { true }
  public override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
  public override var allowedClasses: [AnyClass]? { frames.last?.allowed }
  public override var error: (any Error)? { failure }

  /// Notes the error unless there is one already. It is thrown to whoever asked for the archive's outermost
  /// object.
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

  // MARK: - What it may not ask: without a key or a class there is nothing to check

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

  /// Leaves the memory at `data` as it is.
  public override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
    refuse()
  }

  public override func version(forClassName className: String) -> Int { NSNotFound }
}
