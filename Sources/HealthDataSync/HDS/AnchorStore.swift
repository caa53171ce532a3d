import Foundation
import HealthKit

/// Stores an observer's anchor and the date of its last success. Each observer has its own keys, so several
/// external stores can receive the same type.
// @unchecked: user defaults and their replacements are thread-safe.
struct AnchorStore: @unchecked Sendable {
  /// The part of the keys that identifies the observer: the queried type, the class of external objects, and
  /// the class and identity of the external store. None of them changes between runs of the program.
  let name: String
  private let defaults: any HDSUserDefaultsProxyProtocol

  init(_ defaults: any HDSUserDefaultsProxyProtocol, of synchronizer: any HDSObjectSynchronizerProtocol) {
    self.defaults = defaults
    name = Self.name(of: synchronizer)
  }

  static func name(of synchronizer: any HDSObjectSynchronizerProtocol) -> String {
    let external = synchronizer.externalObjectType
    let destination = ExternalStoreKey(of: synchronizer)
    let identity = destination.identity.map { ":\($0)" } ?? ""
    return
      "\(external.healthKitObjectType()?.identifier ?? "")-\(external)-\(destination.className)\(identity)"
  }

  private var anchorKey: String { name + "-Anchor" }
  private var dateKey: String { name + "-Last-Execution-Date" }

  var date: Date? { defaults.object(forKey: dateKey) as? Date }

  /// The saved anchor, or `nil` to synchronize all objects. It is `nil` if no anchor was saved or the saved
  /// data cannot be decoded.
  var anchor: HKQueryAnchor? {
    defaults.data(forKey: anchorKey).flatMap {
      try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: $0)
    }
  }

  func keep(_ anchor: HKQueryAnchor, at date: Date) {
    guard let data = try? NSKeyedArchiver.archivedData(withRootObject: anchor, requiringSecureCoding: true)
    else { return }
    defaults.set(data, forKey: anchorKey)
    defaults.set(date, forKey: dateKey)
  }

  func clear() {
    defaults.removeObject(forKey: anchorKey)
    defaults.removeObject(forKey: dateKey)
  }
}
