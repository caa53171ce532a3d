import Foundation
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests which store a program opens.
@Suite struct DataHomeTests {
  private let folder: TemporaryFolder
  private let home: DataHome

  init() throws {
    folder = try TemporaryFolder()
    home = DataHome(folder.path("hrgate"))
    for name in ["Anna", "Ben"] {
      try FileManager.default.createDirectory(
        atPath: home.path + "/people/\(name)", withIntermediateDirectories: true)
    }
  }

  @Test func `the variable selects a person, and by default the store is the owner's`() throws {
    for environment in [[:], ["HRGATE_PERSON": ""], ["HRGATE_PERSON": "owner"]] {
      #expect(try home.store(forPersonIn: environment) == home.path + "/health.sqlite")
    }
    #expect(
      try home.store(forPersonIn: ["HRGATE_PERSON": "aNNA"]) == home.path + "/people/Anna/health.sqlite")
    #expect(throws: PersonError.unknown(try PersonName("Bob"))) {
      try home.store(forPersonIn: ["HRGATE_PERSON": "Bob"])
    }
    #expect(throws: PersonError.invalidName("../Anna")) {
      try home.store(forPersonIn: ["HRGATE_PERSON": "../Anna"])
    }
  }

  @Test func `a link, a file or an invalid name is not a person`() throws {
    let people = home.people.path
    try FileManager.default.createSymbolicLink(
      atPath: people + "/Carl", withDestinationPath: people + "/Ben")
    _ = FileManager.default.createFile(atPath: people + "/Dora", contents: nil)
    for name in [".hidden", "owner"] {
      try FileManager.default.createDirectory(atPath: "\(people)/\(name)", withIntermediateDirectories: true)
    }
    #expect(try home.people.names().map(\.text) == ["Anna", "Ben"])
    #expect(try DataHome(folder.path("none")).people.names().isEmpty)
  }

  @Test func `every use fails for a person who does not exist`() async {
    // The error of a program whose environment variable contains an invalid name of a person.
    let error = HKError(PersonError.invalidName("/"))
    #expect(error.code == .errorDatabaseInaccessible)
    #expect(error.localizedDescription.contains("is not a valid name for a person"))
  }

  @Test func `the user decides on permissions for every person's store`() throws {
    let stores = try home.stores
    for path in stores {
      #expect(throws: HKError.self) {
        try HKHealthStore(
          configuration: .init(location: .file(path), application: .example(), decision: .everything),
          usersStores: stores)
      }
    }
    #expect(stores.count == 3)
    _ = try HKHealthStore(
      configuration: .init(
        location: .file(folder.path("own")), application: .example(), decision: .everything),
      usersStores: stores)
  }

  @Test func `if the people cannot be read, no store is used`() throws {
    let place = folder.path("damaged")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    // Create a file in place of the folder, so that no user can read it, not even root.
    _ = FileManager.default.createFile(atPath: place + "/people", contents: nil)
    let damaged = DataHome(place)
    #expect(throws: PersonError.file(operation: "read", path: place + "/people", errno: ENOTDIR)) {
      try damaged.stores
    }
    func open(_ location: HKHealthStore.Configuration.Location) throws {
      _ = try HKHealthStore(
        configuration: .init(location: location, application: .example(), decision: .everything),
        usersStores: HKError.translating { try damaged.stores })
    }
    let error = #expect(throws: HKError.self) { try open(.file(folder.path("own"))) }
    #expect(error?.code == .errorDatabaseInaccessible)
    #expect(error?.localizedDescription.contains("Not a directory") == true, "\(error as Any)")
    // A store in memory can be opened, because it does not belong to a person.
    try open(.memory)
  }

  @Test func `the command in the waiting notice names the person`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    var notice = WaitingNotice(store: home.path + "/people/Ben/health.sqlite", in: home)
    notice.printOnce(on: ends[1])
    close(ends[1])
    let printed = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd() ?? Data()
    #expect(String(decoding: printed, as: UTF8.self).hasSuffix("hrgate permissions ask --person Ben\n"))
  }
}
