package import Bluetooth
import HealthKit
import HealthStorage
package import Ingestion

/// Whose the monitors of a household are and were, by which recordings of them are divided.
///
/// A monitor is that member's in whose store it is enrolled. Was it followed for others before, then what it
/// measured before it was enrolled there may be theirs.
package struct MonitorOwners: Sendable {
  /// Members of the household go by their place in the list.
  package enum Owner: Hashable, Sendable {
    case member(Int)
    /// It is enrolled nowhere, and never was followed.
    case nobody
    /// One of these, and it is not known who.
    case oneOf(Set<Int>)
  }

  private struct History {
    /// Where it is enrolled, and since when.
    var holder: (member: Int, since: ReceiptTime)?
    /// For whom it was followed.
    var members: Set<Int> = []
  }

  /// The monitors of a member.
  package struct Enrolments: Sendable {
    /// Since when.
    fileprivate var enrolled: [BluetoothAddress: ReceiptTime]
    /// Those that a gateway has followed, enrolled still or not.
    fileprivate var followed: Set<BluetoothAddress>

    /// - Throws: `HKError`.
    package init(of registry: MonitorRegistry) async throws {
      let monitors = try await registry.monitors()
      enrolled = Dictionary(monitors.map { ($0.address, $0.enrolled) }, uniquingKeysWith: max)
      followed = try await registry.followed()
    }

    /// Of a store that is looked at, and neither made nor brought up to date.
    /// - Throws: `HKError`, also where the store is too old to have all of this.
    package init(ofStoreAt path: String) throws {
      let found = try HKError.translating { try EnrolmentInspection.look(at: path) }
      let known = found.enrolled.compactMap { address, since in
        BluetoothAddress(address).map { ($0, ReceiptTime(microsecondsSince1970: since)) }
      }
      enrolled = Dictionary(known, uniquingKeysWith: max)
      followed = Set(found.followed.compactMap(BluetoothAddress.init))
    }
  }

  private var histories: [BluetoothAddress: History] = [:]
  /// Who has, or had, any; and the first, to whom all falls that is nobody's.
  private var everybody: Set<Int> { histories.values.reduce(into: [0]) { $0.formUnion($1.members) } }

  /// - Parameter members: `nil` for one whose store cannot be read.
  package init(_ members: [Enrolments?]) {
    for (member, enrolments) in members.enumerated() {
      guard let enrolments else { continue }
      for (address, since) in enrolments.enrolled {
        histories[address, default: History()].members.insert(member)
        // Where two have it for a moment, it is whose it became last.
        if histories[address]?.holder.map({ $0.since < since }) ?? true {
          histories[address]?.holder = (member, since)
        }
      }
      for address in enrolments.followed {
        histories[address, default: History()].members.insert(member)
      }
    }
  }

  /// Whose a monitor is now, or was when it was last enrolled; `nil` where that is nobody, or not known.
  package func owner(of peripheral: PeripheralIdentity) -> Int? {
    if case .member(let member) = owner(of: peripheral, at: nil) { member } else { nil }
  }

  /// - Parameter time: `nil` where it is not known.
  package func owner(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> Owner {
    guard case .address(let address) = peripheral else {
      let everybody = everybody
      return everybody.count > 1 ? .oneOf(everybody) : .nobody
    }
    guard let history = histories[address] else { return .nobody }
    if let holder = history.holder, time.map({ $0 >= holder.since }) ?? true { return .member(holder.member) }
    if history.members.count == 1, let only = history.members.first { return .member(only) }
    return .oneOf(history.members)
  }
}

extension MonitorOwners {
  /// Where what a recording has of a monitor is stored that is asked to store each member's in their own.
  package func place(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(let member): .pipeline(member)
    // As without a household: what is nobody's is the first's, who keeps the stores.
    case .nobody: .pipeline(0)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }

  /// Where what a recording has of a monitor is stored that is asked to store the first member's alone: the
  /// user has said whose it is, as far as it may be theirs.
  package func placeOfFirst(
    _ peripheral: PeripheralIdentity, at time: ReceiptTime?
  ) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(0), .nobody: .pipeline(0)
    case .oneOf(let members) where members.contains(0): .pipeline(0)
    case .member: .nowhere(.otherPerson)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }
}
