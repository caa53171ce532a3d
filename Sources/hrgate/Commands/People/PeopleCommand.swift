import ArgumentParser

/// Manages the people whose stores this user keeps.
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people",
    abstract: "List, add, rename or remove the other people whose monitors hrgate records.",
    discussion: .paragraphs(
      """
      Each person's health data is in a store (database file) of its own, because the heartbeats of two people in one store cannot be
      separated. A person's store is below $XDG_DATA_HOME/hrgate/people, and only you can read it; your own store stays where it is.
      hrgate pair --person assigns a monitor to a person. One hrgate run records the monitors of all people. Other commands use a person's
      data with --person, and programs open it if the environment variable HRGATE_PERSON names the person. You yourself are called owner.
      Each store has its own sync destinations, permissions and preferences.

      A running gateway (hrgate run) applies these changes without a restart. The time during a change is recorded as a gap.

      EXAMPLES
        hrgate people add anna
        hrgate pair "Polar H10 12345678" --person anna
        hrgate stats --person anna
        HRGATE_PERSON=anna ./HeartRateReader
      """),
    subcommands: [
      PeopleListCommand.self, PeopleAddCommand.self, PeopleRenameCommand.self, PeopleRemoveCommand.self,
    ], defaultSubcommand: PeopleListCommand.self)
}
