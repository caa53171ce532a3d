package import Bluetooth
import HealthKit
import HealthStorage
package import Ingestion

/// The current and former owners of each monitor among several people. A recording is divided among their
/// stores by it.
///
/// A monitor belongs to the member in whose store it is enrolled. If other members' gateways followed it
/// before, earlier measurements may be theirs.
package struct MonitorOwners: Sendable {
  /// The owner of a monitor. Members are identified by their index in the list.
  package enum Owner: Hashable, Sendable {
    case member(Int)
    /// The monitor is not enrolled and was never followed.
    case nobody
    /// One of these members; it is not known which.
    case oneOf(Set<Int>)
  }

  private struct History {
    /// The member in whose store it is enrolled, and since when.
    var holder: (member: Int, since: ReceiptTime)?
    /// The members whose gateways have followed it.
    var members: Set<Int> = []
  }

  /// The monitors of one member.
  package struct Enrolments: Sendable {
    /// The time of each enrollment.
    fileprivate var enrolled: [BluetoothAddress: ReceiptTime]
    /// All monitors that a gateway has followed, whether still enrolled or not.
    fileprivate var followed: Set<BluetoothAddress>

    /// - Throws: `HKError`.
    package init(of registry: MonitorRegistry) async throws {
      let monitors = try await registry.monitors()
      enrolled = Dictionary(monitors.map { ($0.address, $0.enrolled) }, uniquingKeysWith: max)
      followed = try await registry.followed()
    }

    /// Reads a store without creating or migrating it.
    /// - Throws: `HKError`, also if the store is too old to have this information.
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
  /// All members that have or had a monitor, and the first member, who gets the monitors without an owner.
  private var everybody: Set<Int> { histories.values.reduce(into: [0]) { $0.formUnion($1.members) } }

  /// - Parameter members: `nil` for a member whose store cannot be read.
  package init(_ members: [Enrolments?]) {
    for (member, enrolments) in members.enumerated() {
      guard let enrolments else { continue }
      for (address, since) in enrolments.enrolled {
        histories[address, default: History()].members.insert(member)
        // A monitor that is being moved is in two stores for a moment; the later enrollment counts.
        if histories[address]?.holder.map({ $0.since < since }) ?? true {
          histories[address]?.holder = (member, since)
        }
      }
      for address in enrolments.followed {
        histories[address, default: History()].members.insert(member)
      }
    }
  }

  /// Returns the current owner of a monitor, or the last one; `nil` if there is none or it is not known.
  package func owner(of peripheral: PeripheralIdentity) -> Int? {
    if case .member(let member) = owner(of: peripheral, at: nil) { member } else { nil }
  }

  /// Returns the owner of a monitor at a time. `time` is `nil` if it is not known.
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
  /// Returns the destination of a monitor's recorded data if each member's data is to go to their own store.
  package func place(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(let member): .pipeline(member)
    // Data without an owner goes to the first member, who keeps the stores.
    case .nobody: .pipeline(0)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }

  /// Returns the destination of a monitor's recorded data if only the first member's data is to be stored.
  /// The user has named this person, so data that may be theirs is accepted.
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
