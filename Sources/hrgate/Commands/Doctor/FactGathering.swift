import BlueZ
import Bluetooth
import DBus
import Foundation
import Gateway
import HealthKit
import HealthSystem

/// Gathers the facts for the checks.
struct FactGathering {
  /// Maximum number of gaps per monitor to examine, newest first.
  private static let gaps = 1000

  private let store: StoreOptions

  init(_ store: StoreOptions) { self.store = store }

  func facts() async throws -> Facts {
    let user = try StoreUser()
    async let service = Self.askManagers(of: user.account)
    async let clock = ClockFacts.gather()
    async let bluetooth = Self.askBluetooth()
    async let restart = BluetoothFacts.restart()
    let machine = MachineFacts.gather()
    let choice = try store.choice(of: user)
    var (facts, monitors) = await Self.look(at: choice.file(in: user.home))
    facts.person = choice.person?.text
    var people: [StoreFacts] = []
    if case .owner(file: _, isNamed: false) = choice {
      for name in try PersonError.translating({ () throws(PersonError) in try People(user.home).list() }) {
        var (theirs, their) = await Self.look(at: user.home.people.store(of: name))
        theirs.person = name.text
        people.append(theirs)
        monitors += their.map { monitor in
          var monitor = monitor
          monitor.person = name.text
          return monitor
        }
      }
      // If only other people have monitors, the account owner needs no store.
      if facts.state == .absent, let first = people.first {
        facts = first
        people.removeFirst()
      }
    }
    var daemon = await bluetooth
    daemon.restart = await restart
    return Facts(
      machine: machine, bluetooth: daemon, clock: await clock, store: facts, people: people,
      service: await service, monitors: monitors)
  }

  private static func look(at path: String) async -> (StoreFacts, [EnrolmentFacts]) {
    let condition = StoreCondition(ofStoreAt: path)
    var facts = StoreFacts(condition, path: path)
    if let status = try? StoreVault.status(path) {
      facts.encryption = status.isEncrypted ? .encrypted : .plain(disk: DiskEncryption.isEncrypted(path))
      if status.isLocked { facts.state = .locked }
    }
    // Open only an undamaged store of this version. Opening would migrate an older store and might write to a
    // damaged one.
    guard condition.state == .current, condition.problems == [] else { return (facts, []) }
    do {
      let registry = try MonitorRegistry(HKHealthStore(storeAt: path))
      let monitors = try await registry.monitors()
      facts.latestMeasurement = monitors.compactMap(\.lastMeasurement?.secondsSince1970).max()
      return (facts, try await enrolments(of: monitors, in: registry))
    } catch {
      facts.state = .unreadable(error.localizedDescription)
      return (facts, [])
    }
  }

  /// Asks the system's service manager and the user's.
  private static func askManagers(of user: UserAccount?) async -> ServiceFacts {
    let unit = user.flatMap(\.serviceUnit)
    // Another user's session bus is at systemd's default address, because that user's environment is unknown.
    let theirs = user.flatMap {
      $0.isCurrent ? nil : BusAddress.address("unix:path=/run/user/\($0.number)/bus")
    }
    return await ServiceFacts.gather(
      machines: unit, own: "hrgate.service", session: theirs ?? .session)
  }

  private static func askBluetooth() async -> BluetoothFacts {
    do {
      return BluetoothFacts(try await BlueZInspection.look())
    } catch let error as BlueZUnavailableError {
      return BluetoothFacts(access: error.access)
    } catch {
      return BluetoothFacts(access: .refused("\(error)"))
    }
  }

  private static func enrolments(
    of monitors: [EnrolledMonitor], in registry: MonitorRegistry
  ) async throws -> [EnrolmentFacts] {
    var found: [EnrolmentFacts] = []
    for monitor in monitors {
      found.append(
        EnrolmentFacts(
          address: monitor.address, name: monitor.name, battery: monitor.battery, isBonded: monitor.isBonded,
          lastSeen: monitor.lastSeen?.secondsSince1970,
          gaps: try await registry.gaps(of: monitor.address, last: Self.gaps)))
    }
    return found
  }
}

extension ReceiptTime {
  var secondsSince1970: Double { Double(microsecondsSince1970) / 1e6 }
}

extension BluetoothFacts {
  fileprivate init(_ found: BlueZInspection) {
    self.init(
      access: .answering, version: found.version.flatMap(Version.init),
      adapters: found.adapters.map {
        Adapter(name: $0.name, isPowered: $0.isPowered, isDiscoveringForGood: $0.isDiscoveringForGood)
      }, bonds: found.bonds)
  }
}

extension BlueZUnavailableError {
  fileprivate var access: BluetoothFacts.Access {
    switch self {
    case .busAbsent(let why): .busAbsent(why)
    case .userRefused(let why): .userRefused(why)
    case .daemonAbsent: .daemonAbsent
    case .notAnswering: .notAnswering
    case .notPermitted(let why): .notPermitted(why)
    // bluetoothd has answered. These errors are about its adapters, which are checked separately.
    case .adapterAbsent, .adapterUnknown, .adapterOff, .adapterBlocked: .answering
    case .refused(let why): .refused(why)
    }
  }
}

extension StoreFacts {
  fileprivate init(_ condition: StoreCondition, path: String) {
    let state: State =
      switch condition.state {
      case .absent: .absent
      case .unreadable(let why): .unreadable(why)
      case .older(let schema): .older(schema)
      case .newer(let schema): .newer(schema)
      case .current: .current
      }
    self.init(
      path: path, state: state, mode: condition.mode, isShielded: condition.isShielded,
      problems: condition.problems,
      size: condition.size, room: condition.room,
      holders: state == .absent ? nil : condition.holders.map { Holder(process: $0, root: "/") },
      isOpenElsewhere: condition.isOpenElsewhere, hasGateway: condition.hasGateway, gateway: condition.gateway
    )
  }
}
