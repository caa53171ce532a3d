import FileSystem
import Foundation
import Glibc
import HealthKit
import HealthStorage
import Testing

@testable import HealthSystem
@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct PeopleTests {
  private let folder: TemporaryFolder
  private let people: People

  init() throws {
    folder = try TemporaryFolder()
    people = People(DataHome(folder.path("hrgate")), timeout: .zero)
  }

  private func store(_ name: String) throws -> String { people.home.people.store(of: try PersonName(name)) }

  @Test func `a person who is being renamed or removed is not followed until that is finished`() throws {
    let anna = try PersonName("Anna")
    try people.add(anna)
    let lock = try PersonLock.lock(anna, in: people.home.people)
    #expect(try people.list() == [anna])
    #expect(try people.present().isEmpty)
    #expect(throws: PersonError.self) { try PersonLock.lock(anna, in: people.home.people) }
    lock.release()
    #expect(try people.present() == [anna])
  }

  @Test func `a person is available again after the command was killed`() throws {
    let anna = try PersonName("Anna")
    try people.add(anna)
    // Create the file that a killed program left while removing a person. It is not locked.
    _ = FileManager.default.createFile(atPath: people.home.people.path + "/.Anna.leaving", contents: nil)
    #expect(try people.present() == [anna])
  }

  @Test func `a running gateway prevents the change, and nothing is moved`() async throws {
    let anna = try PersonName("Anna")
    try people.add(anna)
    let open = try SystemStore(at: store("Anna"))
    try open.database.becomeGateway()
    for body in [
      { try await people.rename(anna, to: PersonName("Eva")) },
      { _ = try await people.remove(anna, deletingData: true) },
    ] as [() async throws -> Void] {
      let fault = await #expect(throws: PersonError.self) { try await body() }
      #expect(fault?.description.contains("a gateway (process \(getpid())) still records") == true)
    }
    #expect(try people.present() == [anna])
    #expect(FileManager.default.fileExists(atPath: try store("Anna")))
    withExtendedLifetime(open) {}
  }

  @Test func `an existing name is rejected, also with other capitalization`() async throws {
    let (anna, ben) = (try PersonName("Anna"), try PersonName("Ben"))
    try people.add(anna)
    try people.add(ben)
    for taken in ["ben", "owner"] {
      await #expect(throws: PersonError.taken(try PersonName(taken))) {
        try await people.rename(anna, to: PersonName(taken))
      }
    }
    try await people.rename(PersonName("ANNA"), to: PersonName("aNNa"))
    #expect(try people.list().map(\.text) == ["aNNa", "Ben"])
    await #expect(throws: PersonError.unknown(try PersonName("Eva"))) {
      try await people.rename(PersonName("Eva"), to: PersonName("Ida"))
    }
  }

  @Test func `a kept directory never replaces one that was kept before`() async throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let anna = try PersonName("Anna")
    var kept: [String?] = []
    for second in 0..<2 {
      try people.add(anna)
      _ = try SystemStore(at: store("Anna"))
      kept.append(
        try await people.remove(anna, deletingData: false, now: now.addingTimeInterval(Double(second))))
    }
    #expect(kept.first == folder.path("hrgate/former-people/Anna 20270115T080000Z/health.sqlite"))
    #expect(Set(kept).count == 2 && kept.allSatisfy { FileManager.default.fileExists(atPath: $0 ?? "") })
    try people.add(anna)
    await #expect(throws: PersonError.self) { try await people.remove(anna, deletingData: false, now: now) }
    #expect(try people.list() == [anna])
  }
}
