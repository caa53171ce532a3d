import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import Glibc
import HealthKit
import HealthSystem
import PacketLog
import Synchronization
import Testing

@testable import TestSupport
@testable import hrgate

@Suite struct SudoCallerTests {
  @Test func `the user who called sudo is used if this is root and the user exists`() {
    let nobody = ["SUDO_UID": "65534", "SUDO_GID": "65534"]
    let caller = SudoCaller(nobody, user: 0)
    #expect(caller?.owner == FileOwner(user: 65_534, group: 65_534) && caller?.name == "nobody")
    #expect(SudoCaller(nobody, user: 1000) == nil)
    for wrong in [
      [:], ["SUDO_UID": "65534"], ["SUDO_UID": "0", "SUDO_GID": "0"], ["SUDO_UID": "x", "SUDO_GID": "1"],
      ["SUDO_UID": "4123456789", "SUDO_GID": "1"], ["SUDO_UID": "-1", "SUDO_GID": "1"],
    ] {
      #expect(SudoCaller(wrong, user: 0) == nil, "\(wrong)")
    }
  }

  private static let sudo = ["SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"]

  @Test func `under sudo it is the caller's home that has the store and the settings`() throws {
    let caller = SudoCaller(Self.sudo, user: 0)
    let user = try StoreUser(["HOME": "/root", "SUDO_UID": "65534"], caller: caller)
    let home = try #require(getpwnam("nobody").map { String(cString: $0.pointee.pw_dir) })
    #expect(user.home.ownersStore == "\(home)/.local/share/hrgate/health.sqlite")
    #expect(user.account?.name == "nobody")
    let own = try StoreUser(["HOME": HomeFolder.path], caller: nil)
    #expect(own.home.ownersStore == "\(HomeFolder.path)/.local/share/hrgate/health.sqlite")
    #expect(own.account?.number == geteuid())
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [["record", "-o", "/nonexistent/log"], ["doctor"]])
  func `record and doctor under sudo ask for the caller's store`(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let environment = Self.sudo.merging(Command.withoutBus(folder)) { $1 }
    let result = try Command.hrgate(arguments[0], Array(arguments.dropFirst()), environment: environment)
    let home = try #require(getpwnam("nobody").map { String(cString: $0.pointee.pw_dir) })
    let said = result.output + result.errors
    #expect(said.contains("\(home)/.local/share/hrgate/health.sqlite"), "\(result)")
    #expect(result.status == 1)
  }
}

/// Tests which monitors `hrgate record` records.
@Suite struct RecordedStoresTests {
  private let folder: TemporaryFolder
  private let user: StoreUser

  init() throws {
    folder = try TemporaryFolder()
    let environment = ["XDG_DATA_HOME": folder.url.path, "XDG_CONFIG_HOME": folder.path("config")]
    user = try StoreUser(environment, caller: nil)
  }

  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(bits: 0xC0FF_EE00_0000 + number, kind: .random)
  }

  private func enrol(_ number: UInt64, _ store: String) async throws {
    try await MonitorRegistry(HKHealthStore(storeAt: store)).enrol(
      EnrolledMonitor(
        address: Self.address(number), isBonded: false,
        enrolled: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)))
  }

  @Test func `records monitors of the owner and all people, including people added or removed meanwhile`()
    async throws
  {
    #expect(throws: CommandError.self) { try RecordedStores(StoreOptions.parse([]), of: user) }
    let people = People(user.home)
    let (anna, ben) = (try PersonName("anna"), try PersonName("ben"))
    try people.add(anna)
    // The owner has no monitor.
    try await enrol(1, user.home.people.store(of: anna))
    let stores = try RecordedStores(StoreOptions.parse([]), of: user)
    #expect(try await stores.monitors() == [Self.address(1)])
    let reported = Mutex<Set<BluetoothAddress>>([])
    let watch = Task { await stores.watch { monitors in reported.withLock { $0 = monitors } } }
    #expect(await eventually { reported.withLock(\.self) == [Self.address(1)] })
    try people.add(ben)
    try await enrol(2, user.home.people.store(of: ben))
    try await enrol(3, user.home.ownersStore)
    #expect(await eventually { reported.withLock(\.self) == Set([1, 2, 3].map(Self.address)) })
    // Removing a person requires that `RecordedStores.watch` closes the person's store.
    _ = try await people.remove(anna, deletingData: true)
    #expect(await eventually { reported.withLock(\.self) == Set([2, 3].map(Self.address)) })
    watch.cancel()
    await watch.value
  }

  @Test func `with --person or --store, that one's alone`() async throws {
    let people = People(user.home)
    try people.add(PersonName("anna"))
    let annas = user.home.people.store(of: try PersonName("anna"))
    try await enrol(1, annas)
    try await enrol(2, user.home.ownersStore)
    for (arguments, number) in [
      (["--person", "anna"], 1), (["--store", annas], 1), (["--person", "owner"], 2),
    ] {
      let stores = try RecordedStores(StoreOptions.parse(arguments), of: user)
      #expect(try await stores.monitors() == [Self.address(UInt64(number))], "\(arguments)")
    }
  }
}
