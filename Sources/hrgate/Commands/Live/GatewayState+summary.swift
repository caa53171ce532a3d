import BlueZ
import Bluetooth
import Gateway

extension GatewayState {
  /// A summary in one line. Every user of the machine may read it: it contains no names and no measurements.
  var summary: String {
    if hasEnded { return "ended" }
    if let waiting, isOnlyWaiting { return waiting.description }
    let store = accounts[main].flatMap(Self.storeTrouble) ?? theirStores
    let trouble =
      (waiting.map { "; \($0)" } ?? "") + store + (lost > 0 ? "; measurements are lost" : "")
      + (busFailure.map { "; the bus does not answer: \($0)" } ?? "")
    guard !monitors.isEmpty else { return "no monitor is paired" + trouble }
    let states = Dictionary(grouping: monitors.compactMap(\.status?.state), by: \.rawValue)
    let parts = states.sorted { $0.key < $1.key }.map { "\($1.count) \($0)" }
    let detail = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    return Counted.text(monitors.count, "monitor") + detail + trouble
  }

  private static func storeTrouble(_ account: Account) -> String? {
    // While measurements go to the inbox, `storeFailure` already is a full sentence.
    account.storeFailure.map { account.isSealing ? "; \($0)" : "; the store cannot be written to: \($0)" }
  }

  /// The number of people whose stores fail, without their names: other users may read the summary.
  private var theirStores: String {
    let count = accounts.count { $0.key != main && $0.value.storeFailure != nil }
    return count == 0
      ? "" : "; \(Counted.text(count, "person's store", "people's stores")) cannot be written to"
  }
}

extension GatewayState.Monitor {
  /// What the user can do about the monitor's state and about the problems with what it sends. One sentence
  /// per line.
  var advice: String? {
    let sentences = [stateAdvice].compactMap(\.self) + problemAdvice.map(\.text)
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }

  /// Advice about the problems that the monitor currently has.
  var problemAdvice: [MonitorAdvice] {
    tally?.advice(of: person).filter { problems.contains($0.problem) } ?? []
  }

  /// What the user can do about the monitor's state, in commands that name its person.
  var stateAdvice: String? {
    guard let advice = status?.advice else { return nil }
    guard let person else { return advice }
    let address = enrolled.address.description
    return advice.replacing(address, with: "\(address) --person \(person.shellWord)")
  }
}
