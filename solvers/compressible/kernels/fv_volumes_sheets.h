/* fv_volumes_sheets.h - gas of volumes that are covered in a step, where no neighbour has gas left.
 *
 * Where two bodies meet, a sheet of volumes is covered at once. A neighbourhood among these ends
 * without room (fv_volumes_weights.h). So the sheet empties layer by layer, from its middle, before
 * the last stage's sweeps. A layer is a distance in faces from a neighbourhood with room. Each
 * volume hands its contents to the next layer, in shares by opening. */

/* layers: 0 where a neighbourhood has room, else -1 so far. flags: the volumes of sheets. */
TRM_GROUP_KERNEL7(fv_volumes_sheets, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) hoods,
                  TRM_RW(int) layers, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      int is_left = gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN] > FV_CLOSES;
      FV_EACH_SIDE(v, k, s, f) is_left |= FV_BEYOND(s, f) >= 0;
      layers[v] = hoods[v * FV_HOOD_REALS + FV_HOOD_END] > R(0.0) ? 0 : -1;
      flags[v] = layers[v] < 0 && is_left;
    }
  }
}

/* Finds layer p.layer. sheet: the list of volumes of sheets. ways: the openings of each volume to
 * the layer before. flags: the list's volumes with a layer. */
TRM_GROUP_KERNEL8(fv_volumes_layer, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) sheet,
                  TRM_RO(int) volumes, TRM_RO(int) sides, TRM_RO(int) joins,
                  TRM_RO(real) openings, TRM_RW(int) layers, TRM_RW(real) ways, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.sheet) {
      const trm_index v = sheet[i];
      const int k = volumes[v] / FV_CELL_PARTS;
      real open = R(0.0);
      if (layers[v] < 0)
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          if (j >= 0 && layers[j] == p.layer - 1) open += openings[f * FV_OPENING_REALS];
        }
      if (open > R(0.0)) {
        layers[v] = p.layer;
        ways[v] = open;
      }
      flags[i] = layers[v] > 0;
    }
  }
}

/* The layer p.layer hands its contents to the one before. */
TRM_GROUP_KERNEL7(fv_flow_sheet, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(int) layers, TRM_RO(real) ways, TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes && layers[v] == p.layer - 1) {
      const int k = volumes[v] / FV_CELL_PARTS;
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        if (j >= 0 && layers[j] == p.layer)
          for (int i = 0; i < FV_VALUES; i++)
            contents[v * FV_VALUES + i] +=
                openings[f * FV_OPENING_REALS] / ways[j] * contents[j * FV_VALUES + i];
      }
    }
  }
}
