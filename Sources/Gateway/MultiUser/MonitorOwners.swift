package import Bluetooth
import HealthKit
import HealthStorage
package import Ingestion

/// Determines to which of several people a monitor belongs or belonged, so that a recording can be imported
/// into the right stores.
///
/// A monitor belongs to the person in whose store it is. If other people's gateways followed it before, its
/// earlier measurements may be theirs.
package struct MonitorOwners: Sendable {
  /// The owner of a monitor. People are identified by their index in the list.
  package enum Owner: Hashable, Sendable {
    case member(Int)
    /// The monitor is in no store, and no gateway has followed it.
    case noOwner
    /// The monitor belonged to one of these people, but it is not known to whom.
    case oneOf(Set<Int>)
  }

  private struct History {
    /// The person whose store contains the monitor, and since when.
    var holder: (member: Int, since: ReceiptTime)?
    /// The people whose gateways have followed the monitor.
    var members: Set<Int> = []
  }

  /// The monitors of one person.
  package struct Enrolments: Sendable {
    /// When each monitor was added to the store.
    fileprivate var enrolled: [BluetoothAddress: ReceiptTime]
    /// All monitors that a gateway has ever followed for this person, including those removed from the store.
    fileprivate var followed: Set<BluetoothAddress>

    /// - Throws: `HKError`.
    package init(of registry: MonitorRegistry) async throws {
      let monitors = try await registry.monitors()
      enrolled = Dictionary(monitors.map { ($0.address, $0.enrolled) }, uniquingKeysWith: max)
      followed = try await registry.followed()
    }

    /// Reads the store at a path without creating or migrating it.
    /// - Throws: `HKError`, for example if a version without this information wrote the store.
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
  /// All people who have or had a monitor, plus the first person, who also gets the monitors that belong to
  /// no one.
  private var everybody: Set<Int> { histories.values.reduce(into: [0]) { $0.formUnion($1.members) } }

  /// - Parameter members: The monitors of each person; `nil` for a person whose store cannot be read.
  package init(_ members: [Enrolments?]) {
    for (member, enrolments) in members.enumerated() {
      guard let enrolments else { continue }
      for (address, since) in enrolments.enrolled {
        histories[address, default: History()].members.insert(member)
        // A monitor that is being moved to another person is briefly in two stores. The store to which it was
        // added later wins.
        if histories[address]?.holder.map({ $0.since < since }) ?? true {
          histories[address]?.holder = (member, since)
        }
      }
      for address in enrolments.followed {
        histories[address, default: History()].members.insert(member)
      }
    }
  }

  /// Returns the current or last owner of a monitor; `nil` if there is no owner or the owner is unknown.
  package func owner(of peripheral: PeripheralIdentity) -> Int? {
    if case .member(let member) = owner(of: peripheral, at: nil) { member } else { nil }
  }

  /// Returns the owner of a monitor at a time.
  /// - Parameter time: The time; `nil` if it is unknown.
  package func owner(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> Owner {
    guard case .address(let address) = peripheral else {
      let everybody = everybody
      return everybody.count > 1 ? .oneOf(everybody) : .noOwner
    }
    guard let history = histories[address] else { return .noOwner }
    if let holder = history.holder, time.map({ $0 >= holder.since }) ?? true { return .member(holder.member) }
    if history.members.count == 1, let only = history.members.first { return .member(only) }
    return .oneOf(history.members)
  }
}

extension MonitorOwners {
  /// Returns the destination of a monitor's recorded data, if each person's data goes to that person's store.
  package func place(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(let member): .pipeline(member)
    // Data of unknown monitors goes to the first person, who runs the import.
    case .noOwner: .pipeline(0)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }

  /// Returns the destination of a monitor's recorded data, if only the first person's data is imported. The
  /// user has named this person explicitly, so data that may be this person's is included.
  package func placeOfFirst(
    _ peripheral: PeripheralIdentity, at time: ReceiptTime?
  ) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(0), .noOwner: .pipeline(0)
    case .oneOf(let members) where members.contains(0): .pipeline(0)
    case .member: .nowhere(.otherPerson)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }
}
