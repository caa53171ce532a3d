import Foundation
import Synchronization

/// The metadata dictionary that was checked last. A program that makes many samples gives each the same one.
enum CheckedMetadata {
  // @unchecked: a dictionary of values that nobody can change, which `remember` sees to.
  private struct Last: @unchecked Sendable {
    let dictionary: [String: Any]
    let metadata: ObjectMetadata
  }

  private static let last = Mutex<Last?>(nil)

  /// What the same dictionary gave before; nil for another one, even an equal one.
  ///
  /// Dictionaries that share their storage are the same: nobody writes to it while it is shared, and it is
  /// kept here.
  static func known(_ dictionary: [String: Any]) -> ObjectMetadata? {
    last.withLockIfAvailable { last in
      guard let last, storage(last.dictionary) == storage(dictionary) else { return nil }
      return last.metadata
    } ?? nil
  }

  static func remember(_ metadata: ObjectMetadata, of dictionary: [String: Any]) {
    guard dictionary.values.allSatisfy(isImmutable) else { return }
    let checked = Last(dictionary: dictionary, metadata: metadata)
    last.withLockIfAvailable { $0 = checked }
  }

  /// An NSMutableString could be another text the next time.
  private static func isImmutable(_ value: Any) -> Bool {
    !(type(of: value) is AnyClass) || value is NSNumber || value is HKQuantity || value is NSDate
  }

  /// On Linux a dictionary is one reference.
  private static func storage(_ dictionary: [String: Any]) -> UInt? {
    guard MemoryLayout<[String: Any]>.size == MemoryLayout<UInt>.size else { return nil }
    return unsafeBitCast(dictionary, to: UInt.self)
  }
}
