import Foundation
import HealthKit

/// How far an observer has come, under keys of its own: several external stores of one type do not disturb
/// each other.
// @unchecked: user defaults may be used from any thread, and so must what stands in for them.
struct AnchorShelf: @unchecked Sendable {
  /// The type that is queried, the class of external objects, and whatever takes them: by their names, which
  /// are the same in the next run of the program, and by the identity of the store where it has one.
  let name: String
  private let defaults: any HDSUserDefaultsProxyProtocol

  init(_ defaults: any HDSUserDefaultsProxyProtocol, of synchronizer: any HDSObjectSynchronizerProtocol) {
    self.defaults = defaults
    name = Self.name(of: synchronizer)
  }

  static func name(of synchronizer: any HDSObjectSynchronizerProtocol) -> String {
    let external = synchronizer.externalObjectType
    let destination = ExternalPlace(of: synchronizer)
    let identity = destination.identity.map { ":\($0)" } ?? ""
    return
      "\(external.healthKitObjectType()?.identifier ?? "")-\(external)-\(destination.className)\(identity)"
  }

  private var anchorKey: String { name + "-Anchor" }
  private var dateKey: String { name + "-Last-Execution-Date" }

  var date: Date? { defaults.object(forKey: dateKey) as? Date }

  /// nil for the beginning: there is none, or it cannot be read. Then all is synchronised once more.
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
